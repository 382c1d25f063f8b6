import type { TimelineEvent } from '../events.ts';
import { cut, eventWords, instantText } from '../observe/event-text.ts';
import type { EventTone } from '../observe/event-text.ts';
import { palette } from './colour.ts';
import type { Palette } from './colour.ts';

export interface TimelinePrinterOptions {
  /** Gets text with line ends. */
  readonly write: (text: string) => void;
  /** ANSI colour; the CLI decides (a TTY, and NO_COLOR not set). Default false. */
  readonly colour?: boolean;
  /** Columns; lines are cut to fit, but for failures, whose every word counts. Default: not cut. */
  readonly width?: number;
}

/** Prints a run's timeline live. */
export interface TimelinePrinter {
  /** Prints one event; `label` says of which run where several are under way, `who` about which of several Envoys it is. */
  event(event: TimelineEvent, label?: string, who?: string): void;
}

/** Every Envoy without an overload manager says so; it has no bearing on anything here. */
const saidByEvery = /no configured limit to the number of allowed active downstream connections/;

/** Told by other lines of the timeline as well (a step's moment, the request that carries an ACK, a bare connection), or by every Envoy. */
function isRedundant(event: TimelineEvent): boolean {
  if (event.event === 'moment.marked' || event.event === 'connection.accepted') return true;
  if (event.event === 'envoy.logged') return saidByEvery.test(event.text);
  if (event.event !== 'request.received') return false;
  const changesNothing = event.unsubscribed.length === 0 && (event.variant === 'sotw' || event.names.length === 0);
  return (event.outcome === 'ack' || event.outcome === 'nack') && changesNothing;
}

/** A printer of timelines: time, direction, what happened; a line for each event that says something new. */
export function timelinePrinter({ write, colour = false, width }: TimelinePrinterOptions): TimelinePrinter {
  const paint = toneOf(palette(colour));
  const logged = new Map<string | undefined, string>();
  // Envoy repeats itself while it cannot connect; the numbers in it apart, once is enough to read.
  const isRepeated = (event: TimelineEvent, label: string | undefined): boolean => {
    if (event.event !== 'envoy.logged') return false;
    const text = event.text.replace(/\d+/g, '0');
    const repeated = logged.get(label) === text;
    logged.set(label, text);
    return repeated;
  };
  return {
    event(event, label, who) {
      if (isRedundant(event) || isRepeated(event, label)) return;
      const { mark, tone, text } = eventWords(event);
      const prefix = label === undefined ? '' : `${label}  `;
      const head = `${instantText(event.atMs).padStart(7)}  ${who === undefined ? '' : `${who}  `}${mark}  `;
      const line =
        event.event === 'expectation.failed'
          ? event.sentence
          : cut(text, width === undefined ? undefined : width - prefix.length - head.length);
      write(`${prefix}${paint(tone, `${head}${line}`)}\n`);
      if (event.event === 'expectation.failed') write(`${prefix}${paint(tone, `${' '.repeat(head.length)}${event.reason}`)}\n`);
    },
  };
}

function toneOf(paint: Palette): (tone: EventTone, text: string) => string {
  const painters: Readonly<Record<EventTone, (text: string) => string>> = {
    in: paint.incoming,
    out: paint.outgoing,
    good: paint.good,
    bad: paint.bad,
    state: paint.strong,
    script: paint.script,
    quiet: paint.quiet,
  };
  return (tone, text) => painters[tone](text);
}
