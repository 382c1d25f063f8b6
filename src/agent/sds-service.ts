import { randomUUID } from 'node:crypto';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Clock } from '../clock.ts';
import type { SotwRequest } from '../protocol/request.ts';
import type { ByteMethod } from '../wire/grpc-server.ts';
import { sotwCodec } from '../wire/sotw-codec.ts';
import { asCallError } from '../wire/status.ts';
import type { AgentLog } from './agent-log.ts';
import { answerOf, type SecretWatch } from './secret-watch.ts';
import { encodeSecretResponse } from './secret-codec.ts';
import type { Secret } from './secret.ts';

export interface SdsServiceOptions {
  /** Rejects with pilot-agent's reason. */
  get(name: string): Promise<Secret>;
  readonly log: AgentLog;
  readonly clock: Clock;
}

type Call = ServerDuplexStream<Buffer, Buffer>;
/** Makes the response for these names; rejects with the text of the status that the stream then ends with. */
type Respond = (names: readonly string[]) => Promise<{ readonly bytes: Buffer; readonly nonce: string }>;

const service = '/envoy.service.secret.v3.SecretDiscoveryService';
const unimplemented = 12;
const unknown = 2;
const invalidArgument = 3;

/**
 * The secret discovery service of the agent: state of the world only, one type, and a stream that ends if a secret cannot be had, so that
 * Envoy tries again (istio security/pkg/nodeagent/sds/sdsservice.go).
 */
export class SdsService {
  readonly #options: SdsServiceOptions;
  readonly #streams = new Set<SecretStream>();
  #version = 0;

  constructor(options: SdsServiceOptions) {
    this.#options = options;
  }

  /** What is served, for a server of bytes. */
  get methods(): readonly ByteMethod[] {
    const refuse = (name: string): ByteMethod => ({
      path: `${service}/${name}`,
      handle: (call) => void call.emit('error', asCallError({ code: unimplemented, message: `${name} not implemented` })),
    });
    return [{ path: `${service}/StreamSecrets`, handle: (call) => this.#open(call) }, refuse('DeltaSecrets'), refuse('FetchSecrets')];
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams.size;
  }

  /** A secret has to be fetched anew: all who watch it get it. */
  push(name: string): void {
    this.#options.log('debug', 'sds', `Trigger on secret update, resource name: ${name}`);
    for (const stream of this.#streams) stream.push(name);
  }

  #open(call: Call): void {
    const stream = new SecretStream(call, (names) => this.#respond(names));
    this.#streams.add(stream);
    call.on('cancelled', () => this.#streams.delete(stream));
    call.on('close', () => this.#streams.delete(stream));
  }

  async #respond(names: readonly string[]): ReturnType<Respond> {
    const secrets = new Map<string, Secret>();
    for (const name of names) {
      const secret = await this.#options.get(name).catch((error: unknown) => {
        throw new Error(`failed to generate secret for ${name}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
      secrets.set(name, secret);
    }
    const nonce = randomUUID();
    const version = `${this.#options.clock.date().toISOString().replace(/\.\d+/, '')}/${++this.#version}`;
    return { bytes: encodeSecretResponse({ version, nonce, secrets }), nonce };
  }
}

/** One stream: requests and pushes one after the other. */
class SecretStream {
  readonly #call: Call;
  readonly #respond: Respond;
  #watch: SecretWatch | undefined;
  #known = false;
  #over = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(call: Call, respond: Respond) {
    this.#call = call;
    this.#respond = respond;
    call.on('cancelled', () => (this.#over = true));
    call.on('data', (bytes: Buffer) => this.#next(() => this.#receive(sotwCodec.decodeRequest(bytes) as SotwRequest)));
    call.on('end', () => this.#next(() => Promise.resolve(this.#finish())));
  }

  push(name: string): void {
    this.#next(() => (this.#watch?.names.has(name) ? this.#send([name]) : Promise.resolve()));
  }

  #next(task: () => Promise<void>): void {
    this.#turn = this.#turn.then(async () => {
      if (this.#over) return;
      await task().catch((error: unknown) => this.#end(unknown, error instanceof Error ? error.message : String(error)));
    });
  }

  async #receive(request: SotwRequest): Promise<void> {
    if (!this.#known && !request.node?.id) return this.#end(invalidArgument, 'missing node information');
    this.#known = true;
    const { watch, send } = answerOf(this.#watch, request);
    this.#watch = watch;
    if (send.length > 0) await this.#send(send);
  }

  async #send(names: readonly string[]): Promise<void> {
    const { bytes, nonce } = await this.#respond(names);
    if (this.#over) return;
    if (this.#watch) this.#watch = { ...this.#watch, nonce };
    this.#call.write(bytes);
  }

  #finish(): void {
    this.#over = true;
    this.#call.end();
  }

  #end(code: number, message: string): void {
    this.#over = true;
    this.#call.emit('error', asCallError({ code, message }));
  }
}
