import { X509Certificate } from 'node:crypto';
import type { SpiffeId } from '../ca/spiffe-id.ts';
import type { WorkloadKey } from '../ca/workload-key.ts';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { CaAnswer } from '../wire/ca-client.ts';
import type { AgentLog } from './agent-log.ts';
import { caAttempts, caRetryPauseMs, isRetriedByCaClient, type Random } from './back-off.ts';
import { goStatusText, inGoWords, type CallStatus } from './go-status.ts';
import type { IstiodConnection } from './istiod-connection.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { waited } from './waited.ts';

/** A certificate that the CA signed, with its key. */
export interface WorkloadCertificate {
  /** Leaf first, root last, PEM. */
  readonly chain: string;
  /** PEM. */
  readonly privateKey: string;
  /** What the chain ends in, PEM. */
  readonly root: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}

export interface CertificateSourceOptions {
  readonly connection: IstiodConnection;
  readonly identity: SpiffeId;
  readonly key: WorkloadKey;
  readonly pkcs8: boolean;
  readonly ttlMs: number;
  readonly certSigner: string;
  readonly log: AgentLog;
  readonly metrics: AgentMetrics;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the agent stops. */
  readonly stopped: AbortSignal;
}

/** The CA has not signed; `message` is what pilot-agent says of it. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/**
 * Makes a key, asks the CA for its certificate, and takes the answer apart (istio security/pkg/nodeagent/cache/secretcache.go,
 * caclient/providers/citadel).
 *
 * @param resource the name it is wanted for, in log lines
 * @throws CertificateError
 */
export async function requestCertificate(resource: string, options: CertificateSourceOptions): Promise<WorkloadCertificate> {
  const { log, metrics, clock, identity, key, pkcs8 } = options;
  const { makeCsrWithKey } = await import('../ca/workload-key.ts');
  const { csr, privateKey } = await makeCsrWithKey(identity, key, pkcs8 ? 'pkcs8' : 'traditional');
  metrics.count('num_outgoing_requests', 'request_type="csr"');
  const started = clock.now();
  const answer = await askWithRetries(csr, options);
  if ('error' in answer) {
    metrics.count('num_failed_outgoing_requests', 'request_type="csr"');
    log('error', 'citadelclient', `failed to sign CSR: ${answer.error}`);
    log('info', 'citadelclient', 'recreated connection');
    log('error', 'cache', `resource:${resource} failed to sign: ${answer.error}`);
    throw new CertificateError(answer.error);
  }
  const made = takenApart(answer.chain, privateKey, clock);
  const ttl = `${Math.round((made.expiresMs - made.createdMs) / 1000)}s`;
  log('info', 'cache', 'generated new workload certificate', {
    resourceName: resource,
    latency: `${Math.round(clock.now() - started)}ms`,
    ttl,
  });
  return made;
}

type Answer = { readonly chain: readonly string[] } | { readonly error: string };

async function askWithRetries(csr: string, options: CertificateSourceOptions): Promise<Answer> {
  const { log, metrics, clock, random, stopped } = options;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(csr, options);
    if ('chain' in answer) return answer.chain.length > 1 ? answer : { error: 'invalid empty CertChain' };
    if (!isRetriedByCaClient(answer.code) || attempt === caAttempts || stopped.aborted) {
      return { error: `create certificate: ${goStatusText(answer)}` };
    }
    const pauseMs = caRetryPauseMs(attempt, random);
    log('warn', 'ca', `ca request failed, starting attempt ${attempt} in ${pauseMs.toFixed(3)}ms`);
    metrics.count('num_outgoing_retries', 'request_type="csr"');
    await waited(pauseMs, clock, stopped);
  }
}

/** One call. What the pod's files lack is an answer like any other: they may come. */
async function ask(csr: string, { connection, ttlMs, certSigner, clock, stopped }: CertificateSourceOptions): Promise<CaAnswer> {
  const { askCa } = await import('../wire/ca-client.ts');
  let status: CallStatus;
  try {
    const [istiod, proof] = await Promise.all([connection.caTarget(), connection.caProof()]);
    const validitySeconds = Math.floor(ttlMs / 1000);
    const answer = await askCa({ istiod, csr, validitySeconds, certSigner, ...proof, clock, signal: stopped });
    if ('chain' in answer) return answer;
    status = answer;
  } catch (error) {
    status = { code: 2, text: FakeIstiodError.from(error).message };
  }
  return inGoWords(status, connection.caAddress);
}

function takenApart(chain: readonly string[], privateKey: string, clock: Clock): WorkloadCertificate {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(chain[0] ?? '');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`failed to extract expire time from server certificate in CSR response: ${why}`);
  }
  return {
    chain: chain.map((pem) => (pem.endsWith('\n') ? pem : `${pem}\n`)).join(''),
    privateKey,
    root: chain.at(-1) ?? '',
    createdMs: clock.date().getTime(),
    expiresMs: new Date(leaf.validTo).getTime(),
  };
}
