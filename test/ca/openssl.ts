import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs openssl in a folder that holds these files; gives what it prints. */
export async function openssl(files: Readonly<Record<string, string>>, command: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { stdout } = await run('openssl', command.split(' '), { cwd: folder });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** How openssl is told to make a key. */
export const keyKinds = {
  'EC P-256': 'ec -pkeyopt ec_paramgen_curve:P-256',
  'EC P-384': 'ec -pkeyopt ec_paramgen_curve:P-384',
  'EC P-521': 'ec -pkeyopt ec_paramgen_curve:P-521',
  // Made ten times as fast as the usual 2048, where the size does not matter.
  'RSA 1024': 'rsa:1024',
  'RSA 2048': 'rsa:2048',
  Ed25519: 'ed25519',
} as const;

const requests = new Map<string, Promise<string>>();

/** A certificate request by openssl, the same at each call. Its names are those of somebody else. */
export function request(kind: keyof typeof keyKinds, ...more: readonly string[]): Promise<string> {
  const name = [kind, ...more].join(' ');
  const made = requests.get(name) ?? newRequest(kind, more);
  requests.set(name, made);
  return made;
}

function newRequest(kind: keyof typeof keyKinds, more: readonly string[]): Promise<string> {
  const names = 'subjectAltName=URI:spiffe://evil/ns/kube-system/sa/admin,DNS:evil.example';
  const words = [
    'req -new -batch -nodes -subj /O=evil/CN=evil -keyout /dev/null',
    `-addext ${names}`,
    `-newkey ${keyKinds[kind]}`,
    ...more,
  ];
  return openssl({}, words.join(' '));
}
