import { createServer } from 'node:http';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openNamespace, whyNoNamespace } from './namespace.ts';

const whyNot = whyNoNamespace();

describe.skipIf(whyNot !== undefined)('a network namespace of a test', () => {
  it('knows the names it was given, has an address that is not loopback, and sees no port of this machine', async () => {
    await using namespace = openNamespace(['istiod.istio-system.svc']);
    const server = createServer((_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const look = namespace.start(process.execPath, [
      '-e',
      `const { lookup } = require('dns'), { networkInterfaces } = require('os'), { connect } = require('net');
       lookup('istiod.istio-system.svc', (error, address) => console.log('name', error?.code ?? address));
       console.log('addresses', Object.values(networkInterfaces()).flat().filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address).join());
       connect(${port}, '127.0.0.1').on('connect', () => console.log('port open')).on('error', ({ code }) => console.log('port', code));`,
    ]);
    await look.line(/^name 127\.0\.0\.1$/);
    await look.line(new RegExp(`^addresses ${namespace.address}$`));
    await look.line(/^port ECONNREFUSED$/);
    expect(await look.ended).toBe(0);
    server.close();
  });

  it('ends what runs in it, also what its children started, and leaves nothing', async () => {
    const namespace = openNamespace();
    const shell = namespace.start('sh', ['-c', 'sleep 1000 & echo started; sleep 1000']);
    await shell.line(/started/);
    await namespace.close();
    // Pipes end with the last who holds them: the child's child.
    await shell.ended;
    expect(spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' }).stdout).not.toContain(`-${process.pid}-`);
  });
});
