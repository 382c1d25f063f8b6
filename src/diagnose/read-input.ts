import { FakeIstiodError } from '../errors.ts';
import { isJsonObject } from '../envoy/index.ts';
import { readDocument } from '../protobuf/document.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import type { Fact } from './fact.ts';
import type { InputKind } from './input.ts';
import { asJson } from './json-access.ts';
import { adminKindOf, looksLikeReady, readClustersJson, readClustersText, readInitDump, readReady, readServerInfo } from './read-admin.ts';
import { dumpsIn, readConfigDump } from './read-config-dump.ts';
import { looksLikeDescription, looksLikeEvents, looksLikePods, readDescription, readEvents, readPods } from './read-kubectl.ts';
import { readKubernetes } from './read-kubernetes.ts';
import { looksLikeLog, readLog } from './read-log.ts';
import { readPrometheus, readStatsJson, readStatsText } from './read-stats.ts';
import { looksLikeTimeline, readTimeline } from './read-timeline.ts';
import { readPlainConfig } from './read-plain-config.ts';
import type { InputText, Reading, ReadValue } from './reading.ts';

/** An object or a list, and not the `[time]` or `[level]` of a log line. */
const jsonStart = /^\s*(\{|\[\s*[[{"\]])/;

type TextReader = (input: InputText) => readonly Fact[];
type TextKind = readonly [kind: InputKind, is: (text: string) => boolean, read: TextReader];

/** Forms that are no YAML or JSON, each told by its own look; the first that fits is taken. */
const textKinds: readonly TextKind[] = [
  ['timeline', looksLikeTimeline, readTimeline],
  ['pod description', looksLikeDescription, readDescription],
  ['event list', looksLikeEvents, readEvents],
  ['pod list', looksLikePods, readPods],
  ['ready', looksLikeReady, readReady],
  ['stats', (text) => /^# TYPE envoy_\w+ (counter|gauge|histogram)/m.test(text) || /^envoy_\w+(\{[^}]*\})? \d/m.test(text), readPrometheus],
  ['clusters', (text) => /^\S+::(added_via_api|observability_name|[^:]*:\d+::cx_total|\S+::rq_total)/m.test(text), readClustersText],
  ['log', looksLikeLog, readLog],
  ['stats', looksLikeStats, readStatsText],
  [
    'listeners',
    (text) =>
      text
        .trim()
        .split('\n')
        .every((line) => /^[^\s:][^\s]*::(\d|\[|\/)\S*$/.test(line.trim())),
    () => [],
  ],
];

function looksLikeStats(text: string): boolean {
  const lines = text.split('\n', 400).filter((line) => line.trim() !== '');
  const fitting = lines.filter((line) => /^[^\s:]+\.[^\s]+: (-?\d+(\.\d+)?|"[^"]*"|P0\(.*|No recorded values)$/.test(line.trim()));
  return fitting.length > 0 && fitting.length >= lines.length * 0.6;
}

/**
 * Reads one input, whatever it is.
 *
 * @throws FakeIstiodError `input.syntax`, `input.unrecognised` and what else reading a document throws: one error with its place.
 */
export function readInput(input: InputText, maxInputBytes?: number): Reading {
  const isJson = jsonStart.test(input.text) && !looksLikeTimeline(input.text) && !looksLikeJsonLog(input.text);
  const kind = isJson ? undefined : textKinds.find(([, is]) => is(input.text));
  if (kind) return { source: input.name, kind: kind[0], facts: kind[2](input), notes: [] };
  if (!isJson && looksLikeJsonLog(input.text)) return { source: input.name, kind: 'log', facts: readLog(input), notes: [] };
  return readStructured(input, maxInputBytes);
}

function looksLikeJsonLog(text: string): boolean {
  return /^\{[^\n]*"(msg|message)":[^\n]*\}\s*$/m.test(text) && looksLikeLog(text) && text.trimStart().startsWith('{"');
}

function readStructured(input: InputText, maxInputBytes: number | undefined): Reading {
  const bytes = new TextEncoder().encode(input.text);
  let document: SourceDocument;
  try {
    document = readDocument({ name: input.name, bytes }, maxInputBytes === undefined ? {} : { maxInputBytes });
  } catch (error) {
    if (
      /^\s*(kind|apiVersion|static_resources|dynamic_resources|admin|node|configs|defaultConfig):/m.test(input.text) ||
      /^\s*[[{]/.test(input.text)
    )
      throw error;
    return bareLines(input) ?? unrecognised(input);
  }
  const readings = document.documents.map((one) => readValue(input.name, one));
  const known = readings.filter((one): one is Reading => one !== undefined);
  const [first] = known;
  if (!first) return bareLines(input) ?? unrecognised(input);
  return { source: input.name, kind: first.kind, facts: known.flatMap(({ facts }) => facts), notes: known.flatMap(({ notes }) => notes) };
}

/** The words of an Envoy that exits, or of a tool, without any log format. */
function bareLines(input: InputText): Reading | undefined {
  if (!/envoy|grpc|xds|istio|listener|cluster|proto|certificate|token|connection|exec format error|rc=\d/i.test(input.text))
    return undefined;
  return { source: input.name, kind: 'log', facts: readLog(input), notes: [] };
}

function unrecognised({ name }: InputText): never {
  throw FakeIstiodError.of('input.unrecognised', [
    {
      at: { file: name },
      what: 'is nothing that tells how a proxy fares',
      remedy: 'Give a manifest, mesh config, bootstrap, config_dump, stats, a log, `kubectl describe pod`, or a report folder',
    },
  ]);
}

type ValueReader = (value: ReadValue) => readonly Fact[];
const adminReaders: Readonly<Record<'server_info' | 'init_dump' | 'clusters' | 'listeners' | 'stats', ValueReader>> = {
  server_info: readServerInfo,
  init_dump: readInitDump,
  clusters: readClustersJson,
  listeners: () => [],
  stats: readStatsJson,
};

function readValue(source: string, document: SourceDocument): Reading | undefined {
  const json = asJson(document.value);
  const kubernetes = readKubernetes(source, document);
  if (kubernetes) return kubernetes;
  if (isJsonObject(json) && 'scenario' in json && 'expectations' in json) return { source, kind: 'run result', facts: [], notes: [] };
  if (isJsonObject(json) && typeof json['error'] === 'string' && Object.keys(json).length === 1)
    return { source, kind: 'run result', facts: [], notes: [`${source} says that it could not be fetched: ${json['error']}`] };
  const admin = adminKindOf(json);
  if (admin) return { source, kind: admin, facts: adminReaders[admin](document), notes: [] };
  if (dumpsIn(json).length > 0) return { source, kind: 'config_dump', facts: readConfigDump(document), notes: [] };
  return readPlainConfig(source, document);
}
