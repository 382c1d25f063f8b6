import type { ClientRequest } from '../protocol/request.ts';
import type { Resource } from '../protocol/resource.ts';
import type { Response } from '../protocol/response.ts';
import { Recent } from './recent.ts';

/** Keeps the messages that events tell of. */
export interface MessageKeeper {
  /** Keeps what the event numbered `seq` tells of. */
  keep(seq: number, message: ClientRequest | Response): void;
}

/** What the transport knows of responses. */
export interface MessageCodec {
  /** Of the message, in bytes. Quick: it is asked for every response. */
  sizeOf(response: Response): number;
  encode(response: Response): Uint8Array;
}

export interface MessageStoreOptions {
  readonly codec: MessageCodec;
  /** How many bytes of messages are kept; what several responses share counts once. */
  readonly maxBytes: number;
  /** For how many messages it is known how large they were, and what a NACK said. */
  readonly maxFacts: number;
  /** How many characters of what NACKs said are kept, but for the newest. */
  readonly maxFactBytes: number;
}

interface Kept {
  readonly message: ClientRequest | Response;
  /** What it takes beside the resources that it shares with others. */
  readonly ownBytes: number;
}

/** What a message takes that has hardly any bytes. */
const overhead = 256;

/**
 * The newest messages that came in and went out. A response is kept as the resources that it is of, which are there anyway as long as they
 * are served, and encoded again when somebody asks; so keeping it costs the push path next to nothing.
 */
export class MessageStore implements MessageKeeper {
  private readonly kept = new Recent<Kept>();
  private readonly sizes = new Recent<number>();
  private readonly refusals = new Recent<NonNullable<ClientRequest['errorDetail']>>();
  /** How many of the responses kept share an array of resources. */
  private readonly sharers = new Map<readonly Resource[], number>();
  private bytes = 0;
  private refusalBytes = 0;
  private readonly options: MessageStoreOptions;

  constructor(options: MessageStoreOptions) {
    this.options = options;
  }

  keep(seq: number, message: ClientRequest | Response): void {
    const isResponse = 'resources' in message;
    const size = isResponse ? this.options.codec.sizeOf(message) : message.bytes?.length;
    if (size !== undefined) remember(this.sizes, seq, size, this.options.maxFacts);
    if (!isResponse && message.errorDetail) this.rememberRefusal(seq, message.errorDetail);
    if (this.options.maxBytes > 0) this.take(seq, message, size ?? 0);
  }

  /** Of the message, in bytes; undefined if that is not known, or no longer. */
  sizeOf(seq: number): number | undefined {
    return this.sizes.get(seq);
  }

  /** What the client said of a response that it refused. */
  errorDetailOf(seq: number): ClientRequest['errorDetail'] {
    return this.refusals.get(seq);
  }

  /** The message in its bytes; undefined once it is no longer kept. */
  bytesOf(seq: number): Uint8Array | undefined {
    const message = this.kept.get(seq)?.message;
    if (!message) return undefined;
    return 'resources' in message ? this.options.codec.encode(message) : message.bytes;
  }

  private rememberRefusal(seq: number, refusal: NonNullable<ClientRequest['errorDetail']>): void {
    this.refusals.add(seq, refusal);
    this.refusalBytes += refusal.message.length;
    const { maxFacts, maxFactBytes } = this.options;
    while (this.refusals.size > maxFacts || (this.refusalBytes > maxFactBytes && this.refusals.size > 1)) {
      this.refusalBytes -= this.refusals.drop()?.message.length ?? 0;
    }
  }

  private take(seq: number, message: ClientRequest | Response, size: number): void {
    const shared = 'resources' in message ? payloadBytes(message.resources) : 0;
    const ownBytes = Math.max(0, size - shared) + overhead;
    this.kept.add(seq, { message, ownBytes });
    this.bytes += ownBytes;
    if ('resources' in message) {
      const sharers = this.sharers.get(message.resources) ?? 0;
      if (sharers === 0) this.bytes += shared;
      this.sharers.set(message.resources, sharers + 1);
    }
    while (this.bytes > this.options.maxBytes && this.kept.size > 0) this.dropOldest();
  }

  private dropOldest(): void {
    const { message, ownBytes } = this.kept.drop() as Kept;
    this.bytes -= ownBytes;
    if (!('resources' in message)) return;
    const sharers = (this.sharers.get(message.resources) as number) - 1;
    if (sharers > 0) return void this.sharers.set(message.resources, sharers);
    this.sharers.delete(message.resources);
    this.bytes -= payloadBytes(message.resources);
  }
}

function remember<V>(facts: Recent<V>, seq: number, fact: V, limit: number): void {
  facts.add(seq, fact);
  if (facts.size > limit) facts.drop();
}

const payloads = new WeakMap<readonly Resource[], number>();

function payloadBytes(resources: readonly Resource[]): number {
  const known = payloads.get(resources);
  if (known !== undefined) return known;
  const bytes = resources.reduce((sum, { value }) => sum + value.length, 0);
  payloads.set(resources, bytes);
  return bytes;
}
