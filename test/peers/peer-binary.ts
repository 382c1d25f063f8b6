import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../..');

/** A program of others that is tested against; see `tools/peers.mjs`. */
export type Peer = 'grpcurl' | 'pilot-agent' | 'istioctl' | 'proxyless';

/** Why peers cannot be built here, or undefined if they can. */
export function whyNoPeers(): string | undefined {
  return spawnSync('go', ['version']).error ? 'there is no Go to build it with' : undefined;
}

/** How long the first build of a peer may take, with its modules to be fetched. */
export const buildLimitMs = 900_000;

/** Path of the binary in the version that its module pins; built if it never was. */
export async function peerBinary(peer: Peer): Promise<string> {
  const { stdout } = await run(process.execPath, [join(checkout, 'tools/peers.mjs'), peer]);
  return stdout.trim();
}

/** Folder of the source of Istio that pilot-agent was built from: it brings a file that pilot-agent needs when it runs. */
export async function istioSource(): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', 'istio.io/istio'], { cwd: join(import.meta.dirname, 'istio') });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}
