import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { FakeIstiodError } from '../errors.ts';

/** The files of a pod as pilot-agent names them, relative to where it is started (istio pkg/config/constants, pkg/security). */
export const podFile = {
  token: './var/run/secrets/tokens/istio-token',
  root: './var/run/secrets/istio/root-cert.pem',
  labels: './etc/istio/pod/labels',
  annotations: './etc/istio/pod/annotations',
  meshConfig: './etc/istio/config/mesh',
  mountedChain: './etc/certs/cert-chain.pem',
  mountedKey: './etc/certs/key.pem',
  mountedRoot: './etc/certs/root-cert.pem',
  workloadChain: './var/run/secrets/workload-spiffe-credentials/cert-chain.pem',
  workloadKey: './var/run/secrets/workload-spiffe-credentials/key.pem',
  workloadRoot: './var/run/secrets/workload-spiffe-credentials/root-cert.pem',
  xdsSocket: './etc/istio/proxy/XDS',
  sdsSocketDir: './var/run/secrets/workload-spiffe-uds',
  filesSocket: './var/run/secrets/credential-uds/files-socket',
} as const;

/** Names of the files in a folder with a workload's certificate. */
export const certificateFile = { chain: 'cert-chain.pem', key: 'key.pem', root: 'root-cert.pem' } as const;

/** The pod's files under one folder, read anew each time: kubelet replaces them. */
export class PodFiles {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  /** Where a name of pilot-agent's lies. */
  path(name: string): string {
    return isAbsolute(name) ? name : join(this.root, name);
  }

  async exists(name: string): Promise<boolean> {
    return stat(this.path(name)).then(
      (found) => found.isFile(),
      () => false,
    );
  }

  /** The text of a file. Error `input.unreadable`, in Go's words for why. */
  async text(name: string): Promise<string> {
    try {
      return await readFile(this.path(name), 'utf8');
    } catch (cause) {
      throw new FakeIstiodError('input.unreadable', `open ${name}: ${goReason(cause)}`, { cause });
    }
  }
}

/** Why a file could not be opened, as Go says it. */
function goReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or directory',
    EACCES: 'permission denied',
    EISDIR: 'is a directory',
    ENOTDIR: 'not a directory',
  };
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}
