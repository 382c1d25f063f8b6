// Profile agent: looks at both pods as kubelet does, puts the wrong token right, and looks again. Ends with 0 if all came as it must.
import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const withinMs = Number(process.env.WITHIN_MS ?? 60_000);
const pauseMs = 250;

/** The status code, or why there is none. */
function probe(pod, port) {
  return new Promise((resolve) => {
    const sent = request({ host: pod, port, path: '/healthz/ready', agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(String(response.statusCode)));
      response.on('error', (error) => resolve(error.code ?? error.message));
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', (error) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : (error.code ?? error.message))).end();
  });
}

/** Waits until a pod answers so on both ports; says what it saw last if it never does. */
async function expectPod(pod, agent, envoy, why) {
  const end = Date.now() + withinMs;
  for (;;) {
    const [ofAgent, ofEnvoy] = [await probe(pod, 15020), await probe(pod, 15021)];
    const seen = `15020 ${ofAgent}, 15021 ${ofEnvoy}`;
    if (ofAgent === agent && ofEnvoy === envoy) return console.log(`✓ ${pod}: ${seen} (${why})`);
    if (Date.now() > end) throw new Error(`${pod}: ${seen}, and not 15020 ${agent}, 15021 ${envoy} (${why})`);
    await pause(pauseMs);
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
