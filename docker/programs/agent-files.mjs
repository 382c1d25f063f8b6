// Profile agent: an authority, and the files that kubelet would put into two pods. The token of one of them is for another audience.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';

const program = '/fake-istiod/dist/bin/fake-istiod.js';
const run = (...args) => execFileSync(process.execPath, [program, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const folder = '/config';
const pods = { right: 'istio-ca', wrong: process.env.WRONG_AUDIENCE ?? 'https://kubernetes.default.svc.cluster.local' };

run('ca', 'init', '--pki', `${folder}/pki`);
for (const [pod, audience] of Object.entries(pods)) {
  const secrets = `${folder}/${pod}/var/run/secrets`;
  for (const name of ['istio', 'tokens']) mkdirSync(`${secrets}/${name}`, { recursive: true });
  copyFileSync(`${folder}/pki/root-cert.pem`, `${secrets}/istio/root-cert.pem`);
  const token = run('token', '--pki', `${folder}/pki`, '--namespace', 'demo', '--service-account', pod, '--audience', audience);
  writeFileSync(`${secrets}/tokens/istio-token`, token, { mode: 0o600 });
  console.log(`pod ${pod}: a token for ${audience}`);
}
