import { problemText } from '../../src/errors.ts';
import { loadResources, type LoadOptions } from '../../src/protobuf/resource-file.ts';
import { documentOf } from './in-memory.ts';

/** What type URLs begin with. */
export const prefix = 'type.googleapis.com/';
/** Full names of the kinds that the tests use. */
export const types = {
  Cluster: 'envoy.config.cluster.v3.Cluster',
  Listener: 'envoy.config.listener.v3.Listener',
  Secret: 'envoy.extensions.transport_sockets.tls.v3.Secret',
};

/** The resources (short type and name) and warnings of a file's text. */
export function load(
  text: string,
  file = 'x.yaml',
  options: LoadOptions = {},
): { readonly resources: readonly string[]; readonly warnings: readonly string[] } {
  const { resources, warnings } = loadResources(documentOf(text, file), options);
  return {
    resources: resources.map(({ typeUrl, name }) => `${typeUrl.replace(/^.*\./, '')} ${name}`),
    warnings: warnings.map(problemText),
  };
}
