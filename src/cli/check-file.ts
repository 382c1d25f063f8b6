import { findEnvoy, validateBootstrap, type EnvoyBinary } from '../envoy/index.ts';
import { FakeIstiodError, type Problem } from '../errors.ts';
import { readDocument, type DocumentSource, type SourceDocument } from '../protobuf/document.ts';
import { bootstrapFindings } from './bootstrap-findings.ts';
import { asPlainJson } from './bootstrap-input.ts';
import { kindText, recognise, type InputKind } from './input-kind.ts';

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
    const document = readDocument(source, { maxInputBytes: options.maxInput });
    const found = recognise(document);
    const alien: Problem[] = found.kind === 'other' ? [{ at: { file }, what: found.what, remedy: found.remedy }] : [];
    if (found.kind === 'other' && !kind) return { file, kind, ...clean, findings: alien };
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

async function checkBootstrap(document: SourceDocument, options: CheckFileOptions): Promise<Result> {
  const { checkMessage } = await import('../protobuf/check.ts');
  const findings = [
    ...checkMessage('envoy.config.bootstrap.v3.Bootstrap', document.value, document.positionOf),
    ...bootstrapFindings(document),
  ];
  const envoy = await envoyFor(options);
  if (!envoy) return { ...clean, findings, notes: ['not shown to an Envoy: none is here; --envoy 1.40.0 fetches one'] };
  // Envoy goes by the ending; YAML of its own reading is what it would start with.
  const asItStands = /\.(json|ya?ml)$/.test(document.name) && document.documents.length === 1;
  const { ok, reasons } = await validateBootstrap({
    bootstrap: asItStands ? document.name : asPlainJson(document),
    envoy,
    env: options.env,
  });
  if (ok) return { ...clean, findings, notes: [`Envoy ${envoy.version} takes it`] };
  return {
    ...clean,
    findings: [...findings, { at: { file: document.name }, what: `Envoy ${envoy.version} refuses it: ${refusalText(reasons)}` }],
  };
}

/** Envoy's reason without what it says around it. */
function refusalText(reasons: readonly string[]): string {
  const text = reasons.join(' ');
  return /error initializing configuration '[^']*':[: ]*(.*)/.exec(text)?.[1] ?? text;
}

/** The Envoy that was asked for, else one that needs no fetching, else none. */
async function envoyFor({ envoy: wanted, env, onProgress }: CheckFileOptions): Promise<EnvoyBinary | undefined> {
  if (wanted !== undefined) return findEnvoy({ wanted, env, onProgress });
  return findEnvoy({ env, install: false }).catch(() => undefined);
}
