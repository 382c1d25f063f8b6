import { istiodQuirks, type Quirks } from '../../src/protocol/quirks.ts';
import type { ProtocolEvent } from '../../src/protocol/protocol-event.ts';
import type { ClientRequest, Variant } from '../../src/protocol/request.ts';
import type { Response, Status } from '../../src/protocol/response.ts';
import type { Command, Layer } from '../../src/script/command.ts';
import type { Scenario, Step } from '../../src/script/scenario.ts';
import type { ScriptEvent } from '../../src/script/script-event.ts';
import { ControlPlane } from '../../src/session/control-plane.ts';
import { openDoor, type Doorman } from '../../src/session/doorman.ts';
import type { IdentityPort } from '../../src/session/identity-port.ts';
import { createPush, type Push } from '../../src/session/push.ts';
import type { SessionEvent } from '../../src/session/session-event.ts';
import type { StreamHandler, StreamPort } from '../../src/session/stream-port.ts';
import { manualClock } from '../clock.ts';
import { told } from '../protocol/model-client.ts';
import { node, resource, url, type Contents, type Short } from '../protocol/world.ts';

type StageEvent = ProtocolEvent | SessionEvent | ScriptEvent;

function layerOf(contents: Contents): Layer {
  return {
    resources: Object.entries(contents).flatMap(([type, named]) =>
      Object.entries(named ?? {}).map(([name, text]) => resource(type as Short, name, text)),
    ),
  };
}

function changeOf(contents: Contents): { readonly replace: ReadonlyMap<string, readonly ReturnType<typeof resource>[]> } {
  const list = (type: string, named: Readonly<Record<string, string>> = {}) =>
    Object.entries(named).map(([name, text]) => resource(type as Short, name, text));
  return { replace: new Map(Object.entries(contents).map(([type, named]) => [url(type), list(type, named)])) };
}

interface StageOptions {
  readonly layers?: readonly Layer[];
  readonly steps?: readonly Step[];
  readonly ready?: boolean;
  readonly quirks?: Partial<Quirks>;
  readonly doorman?: Doorman;
}

/** A control plane with a clock moved by hand and no network: clients are ports in this process. */
export class Stage {
  readonly clock = manualClock(new Date('2026-11-30T08:04:45.678Z'));
  readonly events: StageEvent[] = [];
  readonly plane: ControlPlane;
  readonly server = { calls: [] as string[] };
  readonly ending = new AbortController();
  private readonly listeners = new Set<(event: StageEvent) => void>();

  constructor(contents: Contents = {}, options: StageOptions = {}) {
    const { layers = [], steps = [], ready = true, quirks = {}, doorman = openDoor } = options;
    const scenario = { name: 'stage', steps, withhold: [], istiod: { state: 'up', ready, quirks: istiodQuirks } } as unknown as Scenario;
    this.plane = new ControlPlane({
      clock: this.clock,
      beginning: { scenario, quirks: { ...istiodQuirks, ...quirks }, layers: [layerOf(contents), ...layers], identity: [] },
      nowMs: () => this.clock.now(),
      doorman,
      identity: this.identityPort(),
      emit: (event, whose) => this.tell({ ...event, ...whose }),
      onServerError: (error) => this.server.calls.push(`error ${(error as Error).message}`),
    });
    this.on((event) => this.plane.see(event));
  }

  /** Notes what it is told among the calls of the server. */
  private identityPort(): IdentityPort {
    const note =
      (name: string) =>
      (...told: readonly unknown[]): void =>
        void this.server.calls.push([name, ...told.map((one) => JSON.stringify(one))].join(' '));
    return {
      changePolicy: note('changePolicy'),
      closeGate: note('closeGate'),
      openGate: note('openGate'),
      gateLeft: () => Infinity,
      limitRate: note('limitRate'),
      presentTls: note('presentTls'),
      rotateRoot: note('rotateRoot'),
      expireCertificate: note('expireCertificate'),
    };
  }

  async start(fail = false): Promise<void> {
    const call = (name: string) => (): Promise<void> => {
      this.server.calls.push(name);
      return fail && name === 'start' && this.server.calls.length > 1 ? Promise.reject(new Error('port taken')) : Promise.resolve();
    };
    const say = (name: string) => (): void => void this.server.calls.push(name);
    const [silence, unsilence] = [say('silence'), say('unsilence')];
    await this.plane.start({ reserve: call('reserve'), start: call('start'), stop: call('stop'), silence, unsilence });
  }

  on(listener: (event: StageEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  connect(variant: Variant = 'sotw', id = node.id): PortClient {
    return new PortClient(this, variant, id);
  }

  publish(contents: Contents, layer?: number): Push {
    const streams = () => this.plane.sessions.all.map(({ state }) => state);
    const onChange = (listener: () => void) => {
      const ends = [this.on(listener), this.plane.sessions.onMoved(listener)];
      return () => ends.forEach((end) => end());
    };
    return createPush(this.plane.publish(changeOf(contents), layer), { clock: this.clock, streams, onChange, ended: this.ending.signal });
  }

  perform(command: Command): void {
    this.plane.perform(command);
  }

  eventsOf<E extends StageEvent['event']>(event: E): Extract<StageEvent, { event: E }>[] {
    return this.events.filter((other): other is Extract<StageEvent, { event: E }> => other.event === event);
  }

  private tell(event: StageEvent): number {
    const seq = this.events.push(event);
    for (const listener of [...this.listeners]) listener(event);
    return seq;
  }
}

/** A client's end of a stream. What it is sent stands in `received` until it is answered. */
export class PortClient implements StreamPort {
  readonly received: Response[] = [];
  /** It does not read. */
  blocked = false;
  ended: Status | undefined;
  private readonly handler: StreamHandler | undefined;
  private readonly variant: Variant;
  private readonly id: string;
  private readonly names = new Map<Short, string[]>();
  private readonly nonces = new Map<Short, string>();

  constructor(stage: Stage, variant: Variant, id: string) {
    this.variant = variant;
    this.id = id;
    this.handler = stage.plane.sessions.open({ variant, peer: '127.0.0.1:4711', secure: false }, this);
  }

  send(response: Response): void {
    this.received.push(response);
  }

  end(status: Status): void {
    this.ended ??= status;
  }

  get told(): string[] {
    return told(this.received);
  }

  ask(type: Short, names: readonly string[] = [], nonce = '', error?: string): void {
    this.names.set(type, [...new Set([...(this.names.get(type) ?? []), ...names])]);
    if (nonce) this.nonces.set(type, nonce);
    const base = {
      typeUrl: url(type),
      nonce: this.variant === 'sotw' ? (this.nonces.get(type) ?? '') : nonce,
      node: { ...node, id: this.id },
      ...(error ? { errorDetail: { code: 13, message: error } } : {}),
    };
    const request: ClientRequest =
      this.variant === 'sotw'
        ? { ...base, variant: 'sotw', version: '', names: this.names.get(type) ?? [] }
        : { ...base, variant: 'delta', subscribe: names, unsubscribe: [], initialVersions: new Map() };
    this.handler?.receive(request);
  }

  /** Accepts, or with an error rejects, the oldest response of a type that it was sent and did not answer. */
  answer(type: Short, error?: string): void {
    const at = this.received.findIndex(({ typeUrl }) => typeUrl === url(type));
    const [response] = this.received.splice(at, 1);
    if (at === -1 || !response) throw new Error(`no ${type} to answer`);
    this.ask(type, [], response.nonce, error);
  }

  /** It reads again. */
  read(): void {
    this.blocked = false;
    this.handler?.drained?.();
  }

  leave(): void {
    this.handler?.closed('client', { code: 1, message: 'gone' });
  }

  closedByTransport(status: Status): void {
    this.handler?.closed('server', status);
  }
}
