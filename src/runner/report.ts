import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdminClient, Bootstrap } from '../envoy/index.ts';
import { makeFolder } from '../envoy/make-folder.ts';
import { FakeIstiodError } from '../errors.ts';
import type { TimelineEvent } from '../events.ts';
import type { KeptMoment } from './moments.ts';
import { sequenceDiagram } from './sequence-diagram.ts';
import type { RunResult } from './run-result.ts';
import { resultText } from './summary-table.ts';

/** What only a running Envoy can tell, by file name: the text, or why it could not be had. */
export type LiveFiles = ReadonlyMap<string, LiveFile>;
type LiveFile = { readonly text: string } | { readonly trouble: string };

/** Files that Envoy's admin API fills, and the path that does. */
const adminFiles = {
  'config_dump.json': '/config_dump?include_eds',
  'stats.txt': '/stats',
  'server_info.json': '/server_info',
  'init_dump.json': '/init_dump',
  'clusters.txt': '/clusters',
  'clusters.json': '/clusters?format=json',
  'listeners.json': '/listeners?format=json',
  'ready.txt': '/ready',
} as const;

/** Every other file of a report, and what it is. */
const ownFiles = {
  'timeline.ndjson': 'every event of both sides, one a line, `atMs` being milliseconds since istiod began',
  'sequence.mmd': 'the frames as a Mermaid sequence diagram',
  'result.json': 'what came out, for programs',
  'bootstrap.json': "Envoy's bootstrap",
  'envoy.log': "Envoy's log, whole",
  moments: 'the same of Envoy as it was before a step fired or its state changed, a folder each, for `fake-istiod diagnose`',
  'README.md': 'this page',
} as const;

const allAdminFiles = Object.keys(adminFiles) as (keyof typeof adminFiles)[];

/** Fetches what only a running Envoy can tell: all files of a report, or some. `gone` says why there is none. Never rejects. */
export async function collectReport(
  admin: AdminClient | undefined,
  gone: string | undefined,
  names: readonly (keyof typeof adminFiles)[] = allAdminFiles,
): Promise<LiveFiles> {
  const missing: LiveFile = { trouble: gone ?? "Envoy's admin API did not open" };
  const files = names.map(async (name): Promise<[string, LiveFile]> => [
    name,
    admin && gone === undefined ? await fetched(admin, name, adminFiles[name]) : missing,
  ]);
  return new Map(await Promise.all(files));
}

async function fetched(admin: AdminClient, name: string, path: string): Promise<LiveFile> {
  try {
    const { code, body } = await admin.get(path);
    if (name === 'ready.txt') return { text: `${code} ${body.trim()}\n` };
    return code === 200 ? { text: body } : { trouble: `${path} answered ${code}: ${body.trim()}` };
  } catch (error) {
    return { trouble: FakeIstiodError.from(error).message };
  }
}

export interface ReportParts {
  readonly result: RunResult;
  /** Undefined if Envoy was started by somebody else. */
  readonly bootstrap: Bootstrap | undefined;
  readonly live: LiveFiles;
  /** Envoy's log is in the folder already. */
  readonly hasLog: boolean;
  /** How Envoy was before things changed; each gets a folder below `moments`. */
  readonly moments: readonly KeptMoment[];
}

/** Makes the folder of a report. Error `output.unwritable`; nothing happens without a folder. */
export async function makeReportDir(dir: string | undefined): Promise<void> {
  if (dir === undefined) return;
  try {
    await makeFolder(dir);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FakeIstiodError('output.unwritable', `the report folder ${dir} cannot be made: ${why}`, {
      remedy: 'Name a folder that can be written',
      cause,
    });
  }
}

/** Writes the report into a folder that exists. Error `output.unwritable`. */
export async function writeReport(dir: string, parts: ReportParts): Promise<void> {
  await writing(async () => {
    await writeFiles(dir, reportFiles(parts));
    for (const [i, moment] of parts.moments.entries()) {
      const folder = join(dir, 'moments', `${String(i + 1).padStart(2, '0')}-${moment.name.replace(/[^A-Za-z0-9]+/g, '-')}`);
      await makeFolder(folder);
      await writeFiles(folder, momentFiles(moment, parts));
    }
  });
}

/** Writes what a run with several Envoys has of all of them together. Error `output.unwritable`. */
export async function writeSharedReport(dir: string, result: RunResult, envoys: readonly string[]): Promise<void> {
  const { timeline, scenario, ...facts } = result;
  const shared = ['timeline.ndjson', 'sequence.mmd', 'result.json', 'README.md'] as const;
  const list = shared.map((name) => `- \`${name}\`: ${ownFiles[name]}`);
  const folders = envoys.map(
    (name) => `- \`${name}/\`: Envoy ${name} by itself: its bootstrap, log and dumps, and its part of the timeline`,
  );
  await writing(() =>
    writeFiles(
      dir,
      new Map([
        ['timeline.ndjson', ndjson(timeline)],
        ['sequence.mmd', sequenceDiagram(timeline, scenario)],
        ['result.json', json({ scenario: scenario.name, title: scenario.title, ...facts })],
        ['README.md', `${readmeHead(result)}${[...list, ...folders].join('\n')}\n`],
      ]),
    ),
  );
}

async function writing(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FakeIstiodError('output.unwritable', `the report cannot be written: ${why}`, {
      remedy: 'Name a folder that can be written',
      cause,
    });
  }
}

async function writeFiles(dir: string, files: ReadonlyMap<string, string>): Promise<void> {
  await Promise.all([...files].map(([name, text]) => writeFile(join(dir, name), text)));
}

/** A moment has the files of a report, as they would have been then. */
function momentFiles({ files, log, ...moment }: KeptMoment, { result, hasLog }: ReportParts): ReadonlyMap<string, string> {
  const written = new Map<string, string>([
    ['moment.json', json(moment)],
    ['timeline.ndjson', ndjson(result.timeline.filter(({ seq }) => seq <= moment.seq))],
  ]);
  if (hasLog) written.set('envoy.log', log.map((line) => `${line}\n`).join(''));
  for (const [name, file] of files) written.set(name, textOf(name, file));
  return written;
}

function ndjson(events: readonly TimelineEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

function reportFiles({ result, bootstrap, live, hasLog }: ReportParts): ReadonlyMap<string, string> {
  const { timeline, scenario, ...facts } = result;
  const files = new Map<string, string>([
    ['timeline.ndjson', ndjson(timeline)],
    ['sequence.mmd', sequenceDiagram(timeline, scenario)],
    ['result.json', json({ scenario: scenario.name, title: scenario.title, ...facts })],
    ['bootstrap.json', json(bootstrap ?? { error: 'Envoy was started by somebody else; its bootstrap is in config_dump.json' })],
    ['README.md', readme(result)],
  ]);
  if (!hasLog) files.set('envoy.log', 'Envoy was started by somebody else; its log is not ours to read.\n');
  for (const [name, file] of live) files.set(name, textOf(name, file));
  return files;
}

/** A file that could not be fetched says why, in its own format. */
function textOf(name: string, file: LiveFile): string {
  if ('text' in file) return file.text;
  return name.endsWith('.json') ? json({ error: file.trouble }) : `not fetched: ${file.trouble}\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function readme(result: RunResult): string {
  const files = [
    ...Object.entries(ownFiles),
    ...Object.entries(adminFiles).map(
      ([name, path]) =>
        [name, `\`${path}\` of Envoy's admin API${name === 'ready.txt' ? ': code and body' : ''}, at the end of the run`] as const,
    ),
  ];
  const list = files.map(([name, what]) => `- \`${name}\`: ${what}`).join('\n');
  return `${readmeHead(result)}${list}\n`;
}

function readmeHead(result: RunResult): string {
  const { scenario, variant, envoyVersion } = result;
  return `# ${scenario.name} (${variant}, Envoy ${envoyVersion})\n\n${scenario.title}\n\n\`\`\`text\n${resultText(result)}\n\`\`\`\n\n## Files\n\n`;
}
