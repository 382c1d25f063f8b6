import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { RawClient } from '../wire/raw-client.ts';
import { cli, fakeTerminal } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

const cluster = 'clusters:\n- name: c\n  connect_timeout: 1s\n  type: STATIC\n';
const account = ['--namespace', 'demo', '--service-account', 'web'];

/** `serve` with a folder of an authority, and a client that trusts its root. */
async function serving(pki: string, ...more: readonly string[]): Promise<{ readonly client: RawClient; readonly said: () => string }> {
  const terminal = fakeTerminal();
  const file = join(workFolder({ 'c.yaml': cluster }), 'c.yaml');
  const ended = runCommandLine(['serve', file, '--port', '0', '--no-plaintext-port', '--pki', pki, ...more], terminal);
  onTestFinished(async () => {
    terminal.interrupt();
    await ended;
  });
  await terminal.until('Ctrl-C ends it');
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(terminal.written.stderr)?.[1]);
  const client = await RawClient.connect(`https://localhost:${port}`, { ca: readFileSync(join(pki, 'root-cert.pem'), 'utf8') });
  onTestFinished(() => client.close());
  return { client, said: () => terminal.written.stderr };
}

describe('serve with identity', () => {
  it('makes what the folder of --pki lacks, and believes only who proves it', async () => {
    const pki = join(workFolder(), 'pki');
    const { client, said } = await serving(pki);
    expect(said()).toContain(`${pki}: made ca-key.pem, ca-cert.pem`);
    expect(readdirSync(pki)).toContain('token-key.pem');
    expect(said()).toContain(`Who connects has to bring a token (fake-istiod token --pki ${pki} …)`);
    expect(await client.stream('delta').status).toMatchObject({ code: 16, text: 'authentication failure' });

    const { stdout: token } = await cli(['token', '--pki', pki, ...account]);
    const call = client.stream('delta', { authorization: `Bearer ${token.trim()}` });
    call.send({
      node: { id: 'sidecar~10.0.0.1~web.demo~demo.svc.cluster.local' },
      typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    });
    expect(await call.next()).toMatchObject({ resources: [{ name: 'c' }] });
  }, 20_000);

  it('believes anybody with --no-auth, and shows the certificate of the folder all the same', async () => {
    const { client, said } = await serving(join(workFolder(), 'pki'), '--no-auth');
    expect(said()).toContain('Point an Envoy at it:');
    const call = client.stream('sotw');
    call.send({
      node: { id: 'sidecar~10.0.0.1~web.demo~demo.svc.cluster.local' },
      typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    });
    expect(await call.next()).toMatchObject({ resources: [{}] });
  }, 20_000);
});
