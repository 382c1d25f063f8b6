import { Metadata, type Client, type ClientDuplexStream, type ServerDuplexStream, type StatusObject } from '@grpc/grpc-js';
import { FakeIstiodError } from '../errors.ts';
import type { Variant } from '../protocol/request.ts';
import { TypeUrl } from '../protocol/resource-type.ts';
import { istiodClient } from '../wire/istiod-client.ts';
import { asCallError } from '../wire/status.ts';
import type { AgentLog, AgentLogLine } from './agent-log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { goStatusText, inGoWords, isExpectedEnd, type CallStatus } from './go-status.ts';
import type { IstiodConnection, Proof } from './istiod-connection.ts';
import type { WorkloadHealth } from './xds-carrier.ts';
import { decodeResponse, encodeRequest, requestTypeUrl, responseTypeUrlOf, type OwnRequest } from './xds-message.ts';

/** Type URL → what the agent does with the first resource of such a response; throws to refuse it. */
export type OwnTypes = ReadonlyMap<string, (resource: Uint8Array) => void>;

export interface CarriedStreamOptions {
  readonly id: number;
  readonly path: string;
  readonly variant: Variant;
  readonly call: ServerDuplexStream<Buffer, Buffer>;
  readonly connection: IstiodConnection;
  readonly own: OwnTypes;
  readonly log: AgentLog;
  readonly metrics: AgentMetrics;
  /** What was told of the workload's health last. */
  health(): WorkloadHealth | undefined;
  onOver(): void;
}

export const healthType = 'type.googleapis.com/istio.v1.HealthInformation';
const workloadType = 'type.googleapis.com/istio.workload.Workload';
const unknown = 2;

/** One xDS stream of Envoy and the one to istiod that belongs to it. */
export class CarriedStream {
  readonly #options: CarriedStreamOptions;
  #client: Client | undefined;
  #upstream: ClientDuplexStream<Buffer, Buffer> | undefined;
  /** LDS was asked for: only then istiod is told what the agent itself has to say. */
  #initialised = false;
  #over = false;

  constructor(options: CarriedStreamOptions) {
    this.#options = options;
    options.call.on('cancelled', () => this.#downstreamGone());
  }

  /** Connects and carries. Never rejects: what goes wrong is the status of Envoy's stream. */
  async run(): Promise<void> {
    const { connection, call } = this.#options;
    try {
      const [target, proof] = await Promise.all([connection.xdsTarget(), connection.xdsProof()]);
      if (this.#over) return;
      this.#client = istiodClient(target);
      this.#carry(this.#client, proof);
    } catch (error) {
      const why = FakeIstiodError.from(error).message;
      this.#say('error', `failed to connect to upstream ${connection.discoveryAddress}: ${why}`);
      this.#options.metrics.count('istiod_connection_failures');
      this.#end({ code: unknown, text: why });
      call.resume();
    }
  }

  tellHealth(health: WorkloadHealth): void {
    if (!this.#initialised) return;
    this.#sendOwn({ typeUrl: healthType, ...(health.healthy ? {} : { error: health.why }) });
  }

  /** Ends both sides well, for another stream. */
  close(): void {
    this.#say('debug', 'upstream stopped');
    this.#end({ code: 0, text: '' });
  }

  #carry(client: Client, proof: Proof): void {
    const { path, call } = this.#options;
    const pass = (bytes: Buffer): Buffer => bytes;
    const upstream = client.makeBidiStreamRequest<Buffer, Buffer>(path, pass, pass, headersOf(proof));
    this.#upstream = upstream;
    this.#tellWhenConnected(client);
    // The status comes with this event, too; without a listener it would end the process.
    upstream.on('error', () => undefined);
    upstream.on('data', (bytes: Buffer) => this.#fromIstiod(bytes));
    upstreamEnd(upstream, (status) => this.#upstreamEnded(status));
    call.on('data', (bytes: Buffer) => this.#fromEnvoy(bytes));
    call.on('end', () => {
      this.#say('debug', 'downstream terminated with status <nil>');
      this.#end({ code: 0, text: '' });
    });
  }

  /** @note It means that there is a connection, not that istiod lets the stream in. */
  #tellWhenConnected(client: Client): void {
    const { variant, connection } = this.#options;
    client.waitForReady(Infinity, (error) => {
      if (error || this.#over) return;
      this.#say('info', `connected to ${variant === 'delta' ? 'delta ' : ''}upstream XDS server: ${connection.discoveryAddress}`);
    });
  }

  /** @note Without a bound, as in pilot-agent: if both sides had one, each could wait for the other to read. */
  #fromEnvoy(bytes: Buffer): void {
    if (this.#over) return;
    const { variant, metrics, own, health } = this.#options;
    metrics.count('xds_proxy_requests');
    this.#upstream?.write(bytes);
    if (this.#initialised || requestTypeUrl(variant, bytes) !== TypeUrl.listener) return;
    this.#initialised = true;
    for (const typeUrl of own.keys()) this.#sendOwn({ typeUrl });
    const told = health();
    if (told) this.tellHealth(told);
  }

  #fromIstiod(bytes: Buffer): void {
    if (this.#over) return;
    const { own, metrics, call } = this.#options;
    metrics.count('xds_proxy_responses');
    const typeUrl = responseTypeUrlOf(bytes);
    const take = own.get(typeUrl);
    if (take) return this.#takeOwn(typeUrl, bytes, take);
    if (!isForEnvoy(typeUrl)) {
      return this.#say('error', `Skipping forwarding type url ${typeUrl} to Envoy as is not a valid Envoy type`);
    }
    if (call.write(bytes)) return;
    // Envoy reads slower than istiod writes.
    this.#upstream?.pause();
    call.once('drain', () => this.#upstream?.resume());
  }

  #takeOwn(typeUrl: string, bytes: Buffer, take: (resource: Uint8Array) => void): void {
    const { version, nonce, first } = decodeResponse(this.#options.variant, bytes);
    // Nothing to do, and nothing to acknowledge: as pilot-agent does.
    if (!first) return;
    let error: string | undefined;
    try {
      take(first);
    } catch (cause) {
      error = cause instanceof Error ? cause.message : String(cause);
    }
    this.#sendOwn({ typeUrl, version, nonce, ...(error === undefined ? {} : { error }) });
  }

  #sendOwn(request: OwnRequest): void {
    this.#options.metrics.count('xds_proxy_requests');
    this.#upstream?.write(encodeRequest(this.#options.variant, request));
  }

  #upstreamEnded(status: CallStatus): void {
    if (this.#over) return;
    const told = inGoWords(status, this.#options.connection.discoveryAddress);
    const expected = isExpectedEnd(told);
    const text = told.code === 0 ? '<nil>' : goStatusText(told);
    this.#options.metrics.count('istiod_connection_terminations', `type="${expected ? 'canceled' : 'error'}"`);
    if (expected) this.#say('debug', `upstream terminated with status ${text}`);
    else this.#say('warn', `upstream terminated with unexpected error ${text}`);
    this.#end(told);
  }

  #downstreamGone(): void {
    if (this.#over) return;
    this.#options.metrics.count('envoy_connection_terminations', 'type="canceled"');
    this.#say('debug', `downstream terminated with status ${goStatusText({ code: 1, text: 'context canceled' })}`);
    this.#finish();
  }

  #end({ code, text }: CallStatus): void {
    if (this.#over) return;
    this.#finish();
    const { call } = this.#options;
    if (code === 0) call.end();
    else call.emit('error', asCallError({ code, message: text }));
  }

  #finish(): void {
    this.#over = true;
    this.#upstream?.cancel();
    this.#client?.close();
    this.#options.onOver();
  }

  #say(level: AgentLogLine['level'], text: string): void {
    this.#options.log(level, 'xdsproxy', text, { id: this.#options.id });
  }
}

/** Calls `ended` with the status once all that came before it was handed on. */
function upstreamEnd(upstream: ClientDuplexStream<Buffer, Buffer>, ended: (status: CallStatus) => void): void {
  upstream.on('status', ({ code, details }: StatusObject) => {
    const end = (): void => ended({ code, text: details });
    if (upstream.readableLength === 0) end();
    else upstream.once('end', end);
  });
}

/** Other types stay in the agent (istio pkg/model/xds.go:IsEnvoyType). */
function isForEnvoy(typeUrl: string): boolean {
  return typeUrl.startsWith('type.googleapis.com/envoy.') || typeUrl === workloadType;
}

function headersOf({ token, clusterId, headers }: Proof): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  metadata.set('clusterid', clusterId);
  return metadata;
}
