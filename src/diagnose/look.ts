import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { adminClient } from '../envoy/index.ts';
import type { AdminClient } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import { readText, defaultMaxInputBytes } from '../protobuf/document-text.ts';
import { readInput } from './read-input.ts';
import type { Reading } from './reading.ts';

/** What is to be looked at. */
export interface LookOptions {
  /** Files and folders. */
  readonly inputs: readonly string[];
  /** Inputs that are text already: stdin. */
  readonly texts?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** `http://host:port` or `unix:/path` of the admin API of a proxy that runs. */
  readonly admin?: string;
  /** Larger files are refused; default 16 MiB. */
  readonly maxInputBytes?: number;
}

/** One moment of one proxy: what was read of it. */
export interface LookedMoment {
  /** `now`, `at the end of the run`, `before step release`. */
  readonly name: string;
  readonly kind: 'now' | 'end' | 'step' | 'state';
  /** Milliseconds of the run's timeline. */
  readonly atMs?: number;
  /** How long Envoy had been in its state. */
  readonly sinceMs?: number;
  readonly readings: readonly Reading[];
}

export interface Looked {
  /** In order of time; at least one. */
  readonly moments: readonly LookedMoment[];
  /** Inputs that could not be read, while others could. */
  readonly failures: readonly FakeIstiodError[];
}

/**
 * Reads all inputs, whatever they are.
 *
 * @throws FakeIstiodError of the first input if none could be read, `usage.invalid` if there is none, `envoy.unreachable`.
 */
export async function lookAt({ inputs, texts = [], admin, maxInputBytes = defaultMaxInputBytes }: LookOptions): Promise<Looked> {
  if (inputs.length + texts.length === 0 && admin === undefined) {
    throw new FakeIstiodError('usage.invalid', 'there is nothing to look at', {
      remedy: 'Name files (a log, stats, a config_dump, a manifest …) or a report folder, or give --admin URL',
    });
  }
  const failures: FakeIstiodError[] = [];
  const shared = new Collector(failures, maxInputBytes);
  for (const text of texts) shared.read(text);
  const folders = inputs.filter(isFolder);
  for (const file of inputs.filter((input) => !folders.includes(input))) shared.read(file);
  if (admin !== undefined) for (const answer of await adminAnswers(adminClient(admin))) shared.read(answer);
  const moments = folders.flatMap((folder) => momentsOf(folder, shared.readings, failures, maxInputBytes));
  const read = moments.some(({ readings }) => readings.length > 0) || shared.readings.length > 0;
  const [first] = failures;
  if (!read && first) throw first;
  if (moments.length > 0) return { moments, failures };
  return { moments: [{ name: 'now', kind: 'now', readings: shared.readings }], failures };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

class Collector {
  readonly readings: Reading[] = [];
  private readonly failures: FakeIstiodError[];
  private readonly maxInputBytes: number;

  constructor(failures: FakeIstiodError[], maxInputBytes: number) {
    this.failures = failures;
    this.maxInputBytes = maxInputBytes;
  }

  read(source: string | { readonly name: string; readonly bytes: Uint8Array }): void {
    try {
      this.readings.push(readInput(readText(source, this.maxInputBytes), this.maxInputBytes));
    } catch (error) {
      this.failures.push(FakeIstiodError.from(error));
    }
  }
}

/** Answers of the admin API that tell how a proxy fares; `/ready` tells the state without the 120 KB of `/server_info`. */
const adminPaths = ['/ready', '/stats', '/init_dump', '/config_dump?include_eds', '/clusters?format=json'] as const;

async function adminAnswers(admin: AdminClient): Promise<readonly { readonly name: string; readonly bytes: Uint8Array }[]> {
  const answers = await Promise.all(
    adminPaths.map(async (path) => {
      const { code, body } = await admin.get(path);
      if (path === '/ready') return { name: `${admin.url}${path}`, text: `${code} ${body}` };
      return code === 200 ? { name: `${admin.url}${path}`, text: body } : undefined;
    }),
  );
  return answers.flatMap((answer) => (answer ? [{ name: answer.name, bytes: new TextEncoder().encode(answer.text) }] : []));
}

/** Files of a report that say nothing that another of them does not. */
const skipped = new Set(['README.md', 'sequence.mmd', 'moment.json', 'clusters.txt', 'result.json', 'server_info.json']);

/** A proxy is diagnosed alone: what is true of one is none of the others' business. */
function ofSeveral(folder: string, proxies: readonly string[]): FakeIstiodError {
  return new FakeIstiodError('usage.invalid', `${folder} is the report of a run with several Envoys`, {
    remedy: `Give the folder of one: ${proxies.join(', ')}`,
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The moments of a report folder, or the one moment of a folder of files; `shared` are inputs that were given beside it. */
function momentsOf(
  folder: string,
  shared: readonly Reading[],
  failures: FakeIstiodError[],
  maxInputBytes: number,
): readonly LookedMoment[] {
  const end = new Collector(failures, maxInputBytes);
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name.localeCompare(b.name));
  const proxies = entries.filter((entry) => entry.isDirectory() && isFile(join(folder, entry.name, 'timeline.ndjson')));
  if (proxies.length > 0 && isFile(join(folder, 'timeline.ndjson'))) {
    failures.push(
      ofSeveral(
        folder,
        proxies.map(({ name }) => join(folder, name)),
      ),
    );
    return [];
  }
  for (const { name } of entries.filter(
    (entry) =>
      entry.isFile() &&
      !isSkipped(
        entry.name,
        entries.map((one) => one.name),
      ),
  ))
    end.read(join(folder, name));
  const below = join(folder, 'moments');
  const names = isFolder(below) ? readdirSync(below).sort() : [];
  const about = momentFacts(folder);
  return [
    ...names.flatMap((name) => momentsOf(join(below, name), shared, failures, maxInputBytes)),
    {
      ...(about ?? {
        name: names.length > 0 || entries.some(({ name }) => name === 'timeline.ndjson') ? 'at the end of the run' : basename(folder),
        kind: 'end',
      }),
      readings: [...end.readings, ...shared],
    },
  ];
}

function isSkipped(name: string, all: readonly string[]): boolean {
  if (name.startsWith('.') || /\.(md|mmd|png|html)$/.test(name)) return true;
  const isReport = all.includes('timeline.ndjson');
  return isReport && skipped.has(name);
}

function momentFacts(folder: string): Omit<LookedMoment, 'readings'> | undefined {
  const file = join(folder, 'moment.json');
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const value: unknown = JSON.parse(readText(file, defaultMaxInputBytes).text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, atMs, sinceMs } = value as { readonly name?: unknown; readonly atMs?: unknown; readonly sinceMs?: unknown };
  return {
    name: String(name),
    kind: /^before (step |\w+ \d)/.test(String(name)) ? 'step' : 'state',
    ...(typeof atMs === 'number' ? { atMs } : {}),
    ...(typeof sinceMs === 'number' ? { sinceMs } : {}),
  };
}
