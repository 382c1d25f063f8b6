import { FakeIstiodError, type Problem } from '../errors.ts';
import { readDocument, type DocumentSource, type SourceDocument } from '../protobuf/document.ts';
import type { ExpectedAddress } from '../sidecar/xds-address-findings.ts';
import { checkBootstrap, lenientFlag, strictJsonFindings } from './check-bootstrap.ts';
import { bootstrapKeys, kindText, recognise, type InputKind } from './input-kind.ts';

/** What came out of checking one file. */
export interface Checked {
  readonly file: string;
  /** What it is, or was taken for; undefined if that could not be told. */
  readonly kind: InputKind | undefined;
  readonly findings: readonly Problem[];
  /** What is odd but right. */
  readonly warnings: readonly Problem[];
  /** Asides for people, e.g. which Envoy looked at it. */
  readonly notes: readonly string[];
  /** Why it could not be read at all. */
  readonly failure?: FakeIstiodError;
}

export interface CheckFileOptions {
  /** What it is to be taken for; default: by its content. */
  readonly kind?: InputKind;
  /** As of `--envoy`; default: an Envoy that is there already, if any. */
  readonly envoy?: string;
  /** Where istiod is by `--mesh-config`. */
  readonly expected?: ExpectedAddress;
  readonly maxInput: number;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (text: string) => void;
}

type Result = Omit<Checked, 'file' | 'kind'>;

const clean: Result = { findings: [], warnings: [], notes: [] };
/** Codes that say that something in a readable file is wrong. */
const findingCodes: readonly string[] = ['scenario.invalid', 'resource.invalid', 'bootstrap.invalid'];

/** Checks one file. Never throws for what the file is. */
export async function checkFile(source: DocumentSource, options: CheckFileOptions): Promise<Checked> {
  const file = typeof source === 'string' ? source : source.name;
  let kind = options.kind;
  try {
    const document = readUncommented(source, options.maxInput);
    const found = recognise(document);
    const alien: Problem[] = found.kind === 'other' ? [{ at: { file }, what: found.what, remedy: found.remedy }] : [];
    if (found.kind === 'other' && !kind) return { file, kind, ...clean, findings: alien, notes: silentTrap(document) };
    const wrapped = kind === undefined && found.kind === 'resources' ? wrappedBootstrap(document) : undefined;
    if (wrapped) return { file, kind: 'bootstrap', ...clean, findings: [wrapped], notes: silentTrap(document) };
    kind ??= found.kind === 'other' ? undefined : found.kind;
    const result = await checkAs(kind ?? 'resources', document, options);
    const mistaken = found.kind === 'other' || found.kind === kind || result.findings.length === 0;
    const notes = mistaken ? result.notes : [...result.notes, `it looks like ${kindText(found.kind)}`];
    return { file, kind, ...result, notes, findings: [...alien, ...result.findings] };
  } catch (error) {
    const failure = FakeIstiodError.from(error);
    if (findingCodes.includes(failure.code)) return { file, kind, ...clean, findings: findingsOf(file, failure) };
    return { file, kind, ...clean, failure };
  }
}

/** @note To YAML `//` begins no comment but a key, so that what comes of it is hard to understand. Error `bootstrap.invalid`. */
function readUncommented(source: DocumentSource, maxInputBytes: number): SourceDocument {
  const refuse = (): void => {
    const comments = typeof source === 'string' ? strictJsonFindings(source, '/') : [];
    if (comments.length > 0) throw FakeIstiodError.of('bootstrap.invalid', comments);
  };
  try {
    const document = readDocument(source, { maxInputBytes });
    refuse();
    return document;
  } catch (error) {
    if (FakeIstiodError.from(error).code === 'input.syntax') refuse();
    throw error;
  }
}

/** A bootstrap under a key of its own, as a config_dump or an answer of a bootstrap server has it. */
function wrappedBootstrap({ value, positionOf }: SourceDocument): Problem | undefined {
  const inner = typeof value === 'object' && value !== null && 'bootstrap' in value ? value.bootstrap : undefined;
  const isBootstrap = typeof inner === 'object' && inner !== null && (bootstrapKeys.some((key) => key in inner) || 'node' in inner);
  if (!isBootstrap) return undefined;
  const what = 'is a wrapper around a bootstrap, not what Envoy reads: the bootstrap stands under its key "bootstrap"';
  return { at: positionOf(['bootstrap'], 'key'), what, remedy: 'Save what is under that key as a file of its own' };
}

/** @note What Envoy does not know it leaves out with pilot-agent's flag: of a ConfigMap everything. */
function silentTrap({ value }: SourceDocument): readonly string[] {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value) && !('cluster_manager' in value);
  return isMapping ? [`with pilot-agent's ${lenientFlag} Envoy may start on it, and have no configuration`] : [];
}

function findingsOf(file: string, { problems, message }: FakeIstiodError): readonly Problem[] {
  return problems.length > 0 ? problems : [{ at: { file }, what: message }];
}

async function checkAs(kind: InputKind, document: SourceDocument, options: CheckFileOptions): Promise<Result> {
  if (kind === 'bootstrap') return checkBootstrap(document, options);
  if (kind === 'resources') return checkResources(document);
  const { scenarioFromDocument } = await import('../script/load.ts');
  const { expectations, steps } = await scenarioFromDocument(document, { maxInputBytes: options.maxInput });
  return { ...clean, notes: [`${steps.length} steps, ${expectations.length} expectations`] };
}

async function checkResources(document: SourceDocument): Promise<Result> {
  const { loadResources } = await import('../protobuf/resource-file.ts');
  const { resources, warnings } = loadResources(document);
  return { ...clean, warnings, notes: [`${resources.length} ${resources.length === 1 ? 'resource' : 'resources'}`] };
}
