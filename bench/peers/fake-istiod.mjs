// fake-istiod as the load client's counterpart: told by lines on a control port what to serve, as the server beside this file is.
import { pathToFileURL } from 'node:url';
import { made } from './resources.mjs';
import { obey } from './told-server.mjs';

const { startFakeIstiod } = await import(pathToFileURL(process.argv[2]).href);
const istiod = await startFakeIstiod({ bind: ['127.0.0.1'] });

/** What `publish` will do. */
let next = () => undefined;

const xds = `127.0.0.1:${istiod.port}`;
obey(
  { plain: xds, secure: xds },
  {
    prepare(kind, ...numbers) {
      const [count, size, round] = numbers.map(Number);
      const resources = Array.from({ length: count }, (_, index) => made(kind, index, size, round));
      next = () => istiod.publish({ [kind]: resources });
    },
    'prepare-change'(kind, ...numbers) {
      const resource = made(kind, ...numbers.map(Number));
      next = () => istiod.update({ set: { [kind]: [resource] } });
    },
    publish: () => next(),
  },
);
// Somebody who profiles ends it so, that the profile is written.
process.on('SIGINT', () => process.exit(0));
