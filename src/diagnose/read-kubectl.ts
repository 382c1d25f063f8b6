import { quoted } from './evidence.ts';
import type { ContainerFact, Fact, KubeEventFact } from './fact.ts';
import type { InputText } from './reading.ts';
import { placedLines } from './reading.ts';

export function looksLikeDescription(text: string): boolean {
  return /^Name:\s+\S/m.test(text) && /^(Namespace|Containers|Status|Node):/m.test(text);
}

const eventHeader = /^(NAMESPACE\s+)?LAST SEEN\s+(FIRST SEEN\s+COUNT\s+)?/;
const podHeader = /^(NAMESPACE\s+)?NAME\s+READY\s+STATUS\s+RESTARTS/;

export function looksLikeEvents(text: string): boolean {
  return eventHeader.test(text.trimStart()) || /^\s*Type\s+Reason\s+Age\s+From\s+Message/m.test(text);
}

export function looksLikePods(text: string): boolean {
  return podHeader.test(text.trimStart());
}

/** Sections of a pod description whose containers count. */
const containerSections = /^(Init Containers|Containers|Ephemeral Containers):/;

/** `kubectl describe pod`: states of the containers, and the events. */
export function readDescription(input: InputText): readonly Fact[] {
  const facts: Fact[] = [];
  let section = '';
  let container: Draft | undefined;
  const finish = (): void => {
    if (container && container.told.length > 0) facts.push(containerFact(container));
    container = undefined;
  };
  let inLast = false;
  for (const { at, line } of placedLines(input)) {
    if (/^\S[^:]*:/.test(line)) {
      finish();
      section = line;
      continue;
    }
    if (/^Events:/.test(section)) facts.push(...eventRow(at, line));
    if (!containerSections.test(section)) continue;
    const name = /^ {2}([a-z0-9.-]+):\s*$/.exec(line)?.[1];
    if (name !== undefined) {
      finish();
      container = { name, at, told: [], fields: {} };
      inLast = false;
    }
    const entry = /^\s+(State|Last State|Reason|Exit Code|Ready|Restart Count|Message):\s+(.*)$/.exec(line);
    if (!entry || !container) continue;
    const [, key = '', value = ''] = entry;
    if (key === 'Last State') inLast = true;
    if (key === 'State') inLast = false;
    container.fields[inLast && (key === 'Reason' || key === 'Exit Code') ? `Last ${key}` : key] ??= value.trim();
    container.told.push(`${key}: ${value.trim()}`);
  }
  finish();
  return facts;
}

interface Draft {
  readonly name: string;
  readonly at: { readonly file: string; readonly line?: number };
  readonly told: string[];
  readonly fields: Record<string, string>;
}

function containerFact({ name, at, told, fields }: Draft): ContainerFact {
  const number = (text: string | undefined): number | undefined => (text === undefined || !/^\d+$/.test(text) ? undefined : Number(text));
  const [restarts, exitCode, lastExitCode] = [
    number(fields['Restart Count']),
    number(fields['Exit Code']),
    number(fields['Last Exit Code']),
  ];
  return {
    fact: 'container',
    ...quoted(at, `${name}: ${told.join(', ')}`),
    name,
    ...(fields['Ready'] === undefined ? {} : { ready: fields['Ready'] === 'True' }),
    ...(restarts === undefined ? {} : { restarts }),
    ...(fields['State'] === undefined ? {} : { state: fields['State'].toLowerCase() }),
    ...(fields['Reason'] === undefined ? {} : { reason: fields['Reason'] }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(fields['Last Reason'] === undefined ? {} : { lastReason: fields['Last Reason'] }),
    ...(lastExitCode === undefined ? {} : { lastExitCode }),
  };
}

type Row = { readonly file: string; readonly line?: number };

/** A row of the table of events, in a description or by `kubectl get events`. */
function eventRow(at: Row, line: string): readonly KubeEventFact[] {
  const match = /(?:^|\s)(Normal|Warning)\s+([A-Z][A-Za-z]+)\s+(.*)$/.exec(line);
  if (!match) return [];
  const [, , reason = '', message = ''] = match;
  // `kubectl get events` has the object between the two.
  const text = message.replace(/^[a-z]+\/\S+\s+/, '');
  return [{ fact: 'kube-event', ...quoted(at, `${reason}: ${text}`), reason, text: text.replace(/\s+/g, ' ') }];
}

/** `kubectl get events`. */
export function readEvents(input: InputText): readonly Fact[] {
  return placedLines(input).flatMap(({ at, line }) => eventRow(at, line));
}

/** `kubectl get pods`: a row a pod. */
export function readPods(input: InputText): readonly Fact[] {
  return placedLines(input).flatMap(({ at, line }): Fact[] => {
    const match = /^(?:\S+\s+)?(\S+)\s+(\d+)\/(\d+)\s+([A-Za-z][\w:./-]*)\s+(\d+)/.exec(line.trim());
    if (!match) return [];
    const [, name = '', ready = '', all = '', status = '', restarts = ''] = match;
    return [
      {
        fact: 'container',
        ...quoted(at, line),
        name,
        ready: ready === all,
        restarts: Number(restarts),
        reason: status,
        ...(status === 'Running' ? { state: 'running' } : {}),
      },
    ];
  });
}
