import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { istioSource } from './peer-binary.ts';

/** What a pod gives pilot-agent, in a folder: pilot-agent names its files relative to where it is started. */
export interface AgentFiles {
  readonly folder: string;
  /** Replaces the token as kubelet does: in one step. */
  writeToken(token: string): void;
  remove(): void;
}

/** Names as in pilot-agent's source: pkg/config/constants, pkg/istio-agent, tools/packaging/common. */
const files = {
  bootstrapTemplate: 'var/lib/istio/envoy/envoy_bootstrap_tmpl.json',
  root: 'var/run/secrets/istio/root-cert.pem',
  token: 'var/run/secrets/tokens/istio-token',
};

/** A folder for one pilot-agent that trusts the root of `pki`. */
export async function agentFiles(pki: string): Promise<AgentFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-agent-'));
  for (const file of Object.values(files)) mkdirSync(dirname(join(folder, file)), { recursive: true });
  copyFileSync(join(await istioSource(), 'tools/packaging/common/envoy_bootstrap.json'), join(folder, files.bootstrapTemplate));
  writeFileSync(join(folder, files.root), readFileSync(join(pki, 'root-cert.pem')));
  const token = join(folder, files.token);
  return {
    folder,
    writeToken: (text) => {
      writeFileSync(`${token}.new`, text);
      renameSync(`${token}.new`, token);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
