// Profile agent: looks at both pods as kubelet does, puts the wrong token right, and looks again. Ends with 0 if all came as it must.
import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';

const withinMs = Number(process.env.WITHIN_MS ?? 60_000);
const pauseMs = 250;

async function probe(pod, port) {
  try {
    const { status } = await fetch(`http://${pod}:${port}/healthz/ready`, { signal: AbortSignal.timeout(2_000) });
    return String(status);
  } catch (error) {
    return error.cause?.code === 'ECONNREFUSED' ? 'refused' : (error.cause?.code ?? error.message);
  }
}

/** Waits until a pod answers so on both ports; says what it saw last if it never does. */
async function expectPod(pod, agent, envoy, why) {
  const end = Date.now() + withinMs;
  for (;;) {
    const [ofAgent, ofEnvoy] = [await probe(pod, 15020), await probe(pod, 15021)];
    const seen = `15020 ${ofAgent}, 15021 ${ofEnvoy}`;
    if (ofAgent === agent && ofEnvoy === envoy) return console.log(`✓ ${pod}: ${seen} (${why})`);
    if (Date.now() > end) throw new Error(`${pod}: ${seen}, and not 15020 ${agent}, 15021 ${envoy} (${why})`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function putTokenRight() {
  const args = [
    '/fake-istiod/dist/bin/fake-istiod.js',
    'token',
    '--pki',
    '/config/pki',
    '--namespace',
    'demo',
    '--service-account',
    'wrong',
  ];
  const file = '/config/wrong/var/run/secrets/tokens/istio-token';
  writeFileSync(`${file}.new`, execFileSync(process.execPath, args), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

try {
  await expectPod('agent', '200', '200', 'a token for istio-ca: ready');
  await expectPod('agent-wrong', '503', 'refused', 'a token for another audience: 1/2 Ready');
  if (process.env.PUT_RIGHT !== 'false') {
    putTokenRight();
    await expectPod('agent-wrong', '200', '200', 'the token put right, and nothing restarted');
  }
} catch (error) {
  console.error(`✗ ${error.message}`);
  process.exitCode = 1;
}
