import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './fake-istiod-program.ts';
import { openNamespace, type Namespace } from './namespace.ts';
import type { Running } from './running-process.ts';

/** Who somebody is in the mesh. */
export interface Account {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Default: the authority's. */
  readonly trustDomain?: string;
}

/** A fake istiod with its authenticators on, on istiod's ports and under istiod's name, in a namespace of its own. */
export interface Mesh {
  readonly namespace: Namespace;
  readonly istiod: Running;
  /** Folder of the authority. */
  readonly pki: string;
  token(account: Account, audience: string): Promise<string>;
  /** Gives the folder with `cert-chain.pem`, `key.pem` and `root-cert.pem`. */
  certificate(account: Account, options?: { readonly ttl?: string; readonly pki?: string }): Promise<string>;
  /** The events of one name in istiod's log, oldest first. */
  events(name: string): readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

const istiodName = 'istiod.istio-system.svc';

/**
 * Starts `program serve`.
 *
 * @param input a scenario: a file or the name of a packaged one
 * @param init options of `ca init`
 */
export async function openMesh(program: string, input: string, init: readonly string[] = []): Promise<Mesh> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-mesh-'));
  const pki = join(folder, 'pki');
  const namespace = openNamespace([istiodName]);
  let certificates = 0;
  const close = async (): Promise<void> => {
    await namespace.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await runProgram(program, 'ca', 'init', '--pki', pki, ...init);
    const istiod = namespace.start(process.execPath, [program, 'serve', input, '--pki', pki, '--log-level', 'debug']);
    await istiod.line(/"server\.started"/);
    return {
      namespace,
      istiod,
      pki,
      token: (account, audience) => runProgram(program, 'token', '--pki', pki, '--audience', audience, ...accountWords(account)),
      certificate: async (account, options = {}) => {
        const out = join(folder, `certificate-${++certificates}`);
        const ttl = options.ttl === undefined ? [] : ['--ttl', options.ttl];
        await runProgram(program, 'ca', 'sign', '--pki', options.pki ?? pki, '--out', out, ...ttl, ...accountWords(account));
        return out;
      },
      events: (name) => eventsIn(istiod, name),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function accountWords({ namespace, serviceAccount, trustDomain }: Account): readonly string[] {
  const domain = trustDomain === undefined ? [] : ['--trust-domain', trustDomain];
  return ['--namespace', namespace, '--service-account', serviceAccount, ...domain];
}

function eventsIn(istiod: Running, name: string): readonly Readonly<Record<string, unknown>>[] {
  return istiod.lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ event }) => event === name);
}
