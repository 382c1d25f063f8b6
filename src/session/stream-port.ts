import type { Variant } from '../protocol/request.ts';
import type { Response, Status } from '../protocol/response.ts';
import type { ClientRequest } from '../protocol/request.ts';

/** What a session needs of the transport; `wire/` provides it. */
export interface StreamPort {
  /** Hands a response to the transport, which encodes it and heeds back-pressure. Never throws. */
  send(response: Response): void;
  /** True while enough waits for a client that does not read: nothing new need be selected for it until `drained`. Default: never. */
  readonly blocked?: boolean;
  /** Ends the stream with a status. Calls after the first do nothing. */
  end(status: Status): void;
}

/** What is known of a stream before its first request. */
export interface StreamDescription {
  readonly variant: Variant;
  /** Address and port of the client. */
  readonly peer: string;
  readonly secure: boolean;
  /** The single-type service that was called, as `package.Service`. Absent for ADS. */
  readonly service?: string;
  /** What the client brought to prove who it is. */
  readonly credentials?: StreamCredentials;
}

/** Headers of a stream, and what its connection's handshake has shown. */
export interface StreamCredentials {
  readonly authorization?: string;
  readonly clusterId?: string;
  /** Of a client certificate that the handshake has checked: its one URI name. */
  readonly certificateUri?: string;
}

/** What the transport tells a session. */
export interface StreamHandler {
  /** Settled once it is decided whether the stream is let in, and what was said meanwhile is heard. Absent where it is decided already. */
  readonly admitted?: Promise<void>;
  receive(request: ClientRequest): void;
  /** Settled once every request so far is answered that is not answered at once. */
  readonly settled?: Promise<void>;
  /** The client reads again what it is sent: `blocked` is no longer true. */
  drained?(): void;
  /** The stream is over: the client went away, or our status was sent. Called once. */
  closed(by: 'client' | 'server', status: Status): void;
}

/** Who takes new streams; `wire/` calls it. Undefined if the stream was refused (its status is already sent through `port`). */
export interface StreamAcceptor {
  open(description: StreamDescription, port: StreamPort): StreamHandler | undefined;
}
