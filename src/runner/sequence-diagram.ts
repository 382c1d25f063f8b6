import type { TimelineEvent } from '../events.ts';
import { instantText } from '../observe/event-text.ts';
import type { Scenario } from '../script/scenario.ts';
import { Whose } from './whose.ts';

/** A diagram with more lines than this nobody can look at, nor do most viewers draw it. */
const shownLines = 400;

/** The frames of a run and what explains them, as a Mermaid sequence diagram. Of several Envoys and istiods each is a participant. */
export function sequenceDiagram(events: readonly TimelineEvent[], scenario: Pick<Scenario, 'envoys' | 'istiods'> = {}): string {
  const cast = new Cast(events, scenario);
  const lines = events.flatMap((event) => diagramLine(event, cast) ?? []);
  const left = lines.length - shownLines;
  const more = left > 0 ? [`Note over ${cast.all}: and ${left} more lines, see timeline.ndjson`] : [];
  return ['sequenceDiagram', ...cast.participants, ...[...lines.slice(0, shownLines), ...more].map((line) => `  ${line}`), ''].join('\n');
}

/** Who takes part, and under which letter: `E` and `I`, or with a number each where there are several. */
class Cast {
  private readonly envoys: readonly string[];
  private readonly istiods: readonly string[];
  private readonly whose: Whose;

  constructor(events: readonly TimelineEvent[], scenario: Pick<Scenario, 'envoys' | 'istiods'>) {
    this.envoys = (scenario.envoys ?? []).map(({ name }) => name);
    this.istiods = (scenario.istiods ?? []).map(({ name }) => name);
    this.whose = new Whose(scenario);
    // Streams say who they are only with their first request.
    for (const event of events) this.whose.of(event);
  }

  get participants(): readonly string[] {
    const envoys = this.envoys.map((name, i) => `  participant E${i + 1} as Envoy ${name}`);
    const istiods = this.istiods.map((name, i) => `  participant I${i + 1} as istiod ${name}`);
    return [
      ...(envoys.length > 0 ? envoys : ['  participant E as Envoy']),
      ...(istiods.length > 0 ? istiods : ['  participant I as fake istiod']),
    ];
  }

  /** From the first to the last. */
  get all(): string {
    return `${this.envoys.length > 0 ? 'E1' : 'E'},${this.istiods.length > 0 ? `I${this.istiods.length}` : 'I'}`;
  }

  envoy(event: TimelineEvent): string {
    return letter('E', this.envoys, this.whose.of(event)?.split('|')[0]);
  }

  istiod(event: TimelineEvent): string {
    return letter('I', this.istiods, event.istiod);
  }
}

function letter(of: 'E' | 'I', names: readonly string[], name: string | undefined): string {
  return names.length === 0 ? of : `${of}${Math.max(0, names.indexOf(name ?? '')) + 1}`;
}

function diagramLine(event: TimelineEvent, cast: Cast): string | undefined {
  const [E, I] = [cast.envoy(event), cast.istiod(event)];
  const at = `${instantText(event.atMs)} s`;
  const fromEnvoy = (text: string, arrow = '->>'): string => `${E}${arrow}${I}: ${escaped(`${at} ${text}`)}`;
  const toEnvoy = (text: string, arrow = '->>'): string => `${I}${arrow}${E}: ${escaped(`${at} ${text}`)}`;
  const note = (over: string, text: string): string => `Note over ${over}: ${escaped(`${at} ${text}`)}`;
  switch (event.event) {
    case 'stream.opened':
      return fromEnvoy(`opens stream ${event.stream} (${event.variant}, ${event.secure ? 'TLS' : 'plaintext'})`);
    case 'stream.refused':
      return toEnvoy(`refuses stream ${event.stream}: ${event.code} ${event.text}`, '--x');
    case 'stream.closed':
      return event.by === 'client'
        ? fromEnvoy(`closes stream ${event.stream}`, '--x')
        : toEnvoy(`closes stream ${event.stream}: ${event.code} ${event.text}`, '--x');
    case 'request.received': {
      // An ACK or NACK has an event of its own.
      if (event.outcome === 'ack' || event.outcome === 'nack') return undefined;
      return fromEnvoy(`${event.type} request (${event.outcome})${listed(event.names)}`);
    }
    case 'response.acked':
      return fromEnvoy(`${event.type} ACK`, '-->>');
    case 'response.nacked':
      return fromEnvoy(`${event.type} NACK: ${event.text}`, '-->>');
    case 'response.sent':
      return toEnvoy(
        `${event.type} response (${event.cause})${listed(event.names)}${event.removed.length > 0 ? ` removed${listed(event.removed)}` : ''}`,
      );
    case 'response.withheld':
      return note(I, `${event.type} withheld${listed(event.names)}`);
    case 'response.delayed':
      return note(I, `${event.type} response waits ${event.delayMs} ms`);
    case 'response.dropped':
      return note(I, `${event.type} response dropped`);
    case 'server.stopped':
      return note(I, 'listens no more');
    case 'server.silenced':
      return note(I, event.silent ? 'accepts connections, says nothing' : 'answers again');
    case 'server.failed':
      return note(I, `failed: ${event.reason}`);
    case 'server.started':
      return note(I, 'listens');
    case 'command.performed':
      return note(I, event.sentence);
    case 'step.fired':
      return note(I, `step ${event.step}`);
    case 'envoy.state-reached':
      return note(E, event.state);
    case 'envoy.exited':
      return note(E, `exited (${event.signal ?? `code ${event.code}`})`);
    default:
      return undefined;
  }
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}

/** Mermaid ends a line at `;` and takes `#…;` for an entity. */
function escaped(text: string): string {
  const short = text.replace(/\s+/g, ' ').trim();
  return (short.length > 160 ? `${short.slice(0, 159)}…` : short)
    .replace(/#/g, '#35;')
    .replace(/(?<!#35);/g, '#59;')
    .replace(/</g, '#lt;')
    .replace(/>/g, '#gt;');
}
