import { ExitCode, FakeIstiodError, problemText, type Problem } from '../../errors.ts';
import { readEachDocument, type DocumentSource, type SourceDocument } from '../../protobuf/document.ts';
import { compareClusters, type ClusterComparison } from '../../sidecar/cluster-comparison.ts';
import {
  distinctIdentities,
  identityOfBootstrap,
  identityOfWorkload,
  noNode,
  type ClusterIdentity,
} from '../../sidecar/cluster-identity.ts';
import { inspectWorkload, type Inspection } from '../../sidecar/inspection.ts';
import { labFiles } from '../../sidecar/lab-lines.ts';
import { findMeshConfigs } from '../../sidecar/mesh-config-form.ts';
import type { MeshConfig } from '../../sidecar/mesh-config.ts';
import { pickWorkload, pickWorkloads } from '../../sidecar/pick-workload.ts';
import { manifestOf } from '../../sidecar/read-manifest.ts';
import { readMeshConfig } from '../../sidecar/read-mesh-config.ts';
import type { Manifest } from '../../sidecar/workload.ts';
import { comparisonText, inspectionText, meshConfigText } from '../inspection-text.ts';
import { writeLabFolder } from '../lab-folder.ts';
import { writeLine, type Terminal } from '../terminal.ts';

export interface InspectOptions {
  readonly workload?: string;
  readonly meshConfig?: string;
  readonly against?: string;
  readonly lab?: string;
  readonly force?: boolean;
  readonly maxInput: number;
  readonly json?: boolean;
}

/** `inspect`. */
export async function inspect(terminal: Terminal, file: string, options: InspectOptions): Promise<ExitCode> {
  checkOptions(options);
  if (options.against !== undefined) return compare(terminal, file, options.against, options);
  const source = await sourceOf(terminal, file, options);
  const mesh = options.meshConfig === undefined ? undefined : await meshConfigOf(terminal, options.meshConfig, options);
  const read = readEach(source, options);
  if (isMeshConfig(read.documents)) return showMeshConfig(terminal, readMeshConfig(source, limits(options)), options);
  refuseBootstrap(read.documents);
  const manifest = manifestOf(read.documents, read.problems);
  if (options.lab !== undefined) return writeLab(terminal, options.lab, manifest, mesh, options);
  const inspections = pickWorkloads(manifest, options.workload).map((workload) => inspectWorkload(workload, mesh));
  if (options.json) writeLine(terminal.stdout, JSON.stringify(asJson(manifest, inspections), undefined, 2));
  else writeLine(terminal.stdout, inspections.map(inspectionText).join('\n\n'));
  const wanted = options.workload === undefined;
  if (!options.json && wanted) for (const { problem } of manifest.uninjected) writeLine(terminal.stderr, `note: ${problemText(problem)}`);
  return reportProblems(terminal, manifest.problems);
}

function checkOptions({ lab, force, against, json }: InspectOptions): void {
  const wrong = [
    [force && lab === undefined, '--force goes with --lab', 'Name the folder by --lab'],
    [lab !== undefined && against !== undefined, '--lab and --against exclude each other', 'Ask one after the other'],
    [lab !== undefined && json, '--lab writes files and has no JSON', 'Leave out --json'],
  ] as const;
  for (const [isWrong, what, remedy] of wrong) if (isWrong) throw new FakeIstiodError('usage.invalid', what, { remedy });
}

function limits({ maxInput }: InspectOptions): { readonly maxInputBytes: number } {
  return { maxInputBytes: maxInput };
}

async function sourceOf(terminal: Terminal, file: string, { maxInput }: InspectOptions): Promise<DocumentSource> {
  return file === '-' ? { name: '<stdin>', bytes: await terminal.readStdin(maxInput) } : file;
}

function readEach(source: DocumentSource, options: InspectOptions): ReturnType<typeof readEachDocument> {
  try {
    return readEachDocument(source, limits(options));
  } catch (error) {
    // What is no YAML may still be a ProxyConfig in protobuf's text format.
    if (!(error instanceof FakeIstiodError) || error.code !== 'input.syntax') throw error;
    try {
      readMeshConfig(source, limits(options));
    } catch {
      throw error;
    }
    return { documents: [], problems: [] };
  }
}

async function meshConfigOf(terminal: Terminal, file: string, options: InspectOptions): Promise<MeshConfig> {
  return readMeshConfig(await sourceOf(terminal, file, options), limits(options));
}

/** A mesh config and nothing that runs. */
function isMeshConfig(documents: readonly SourceDocument[]): boolean {
  if (documents.length === 0) return true;
  if (!documents.some((document) => hasMeshConfig(document))) return false;
  try {
    const { workloads, uninjected } = manifestOf(documents);
    return workloads.length + uninjected.length === 0;
  } catch {
    return true;
  }
}

function hasMeshConfig(document: SourceDocument): boolean {
  try {
    return findMeshConfigs(document).length > 0;
  } catch {
    return true;
  }
}

/** Somebody has the right folder and the wrong command. */
function refuseBootstrap(documents: readonly SourceDocument[]): void {
  const node = documents.some(isKubernetes) ? undefined : documents.map(identityOfBootstrap).find(Boolean);
  if (!node) return;
  const remedy = '`fake-istiod check FILE` looks at bootstraps; `inspect A --against B` takes them, too';
  throw FakeIstiodError.of('input.unrecognised', [
    { at: node.at, what: `is the bootstrap of an Envoy (${node.subject}), not a manifest`, remedy },
  ]);
}

function showMeshConfig(terminal: Terminal, mesh: MeshConfig, { json }: InspectOptions): ExitCode {
  const { positionOf: _, warnings, ...facts } = mesh;
  if (json) writeLine(terminal.stdout, JSON.stringify({ meshConfig: facts, warnings: warnings.map(problemText) }, undefined, 2));
  else writeLine(terminal.stdout, [meshConfigText(mesh), ...warnings.map((one) => `  odd: ${problemText(one)}`)].join('\n'));
  return ExitCode.ok;
}

function asJson({ file, uninjected, problems, others }: Manifest, workloads: readonly Inspection[]): object {
  return {
    file,
    workloads,
    uninjected: uninjected.map(({ problem, ...workload }) => ({
      ...workload,
      reason: problem.what,
      ...problem.at,
      remedy: problem.remedy,
    })),
    others,
    problems: problems.map(({ at, what, remedy }) => ({ ...at, what, ...(remedy === undefined ? {} : { remedy }) })),
  };
}

function reportProblems(terminal: Terminal, problems: readonly Problem[]): ExitCode {
  for (const problem of problems) writeLine(terminal.stderr, `fake-istiod: ${problemText(problem)}`);
  return problems.length > 0 ? ExitCode.input : ExitCode.ok;
}

function writeLab(
  terminal: Terminal,
  dir: string,
  manifest: Manifest,
  mesh: MeshConfig | undefined,
  { workload, force = false }: InspectOptions,
): ExitCode {
  const files = labFiles(pickWorkload(manifest, workload), mesh);
  writeLabFolder(dir, files, force);
  writeLine(terminal.stderr, `${[...files.keys()].join(', ')} written to ${dir}`);
  if (!mesh) writeLine(terminal.stderr, '03-mesh.txt needs the mesh config: --mesh-config FILE');
  return reportProblems(terminal, manifest.problems);
}

async function compare(terminal: Terminal, file: string, other: string, options: InspectOptions): Promise<ExitCode> {
  const [left, right] = [await identitiesIn(terminal, file, options), await identitiesIn(terminal, other, options)];
  const comparisons = left.flatMap((a) => right.map((b) => compareClusters(a, b)));
  if (options.json) writeLine(terminal.stdout, JSON.stringify({ comparisons }, undefined, 2));
  else writeLine(terminal.stdout, comparisons.map(comparisonText).join('\n\n'));
  return comparisons.every(isTold) ? ExitCode.ok : ExitCode.unexpected;
}

function isTold({ distinguishable }: ClusterComparison): boolean {
  return distinguishable;
}

async function identitiesIn(terminal: Terminal, file: string, options: InspectOptions): Promise<readonly ClusterIdentity[]> {
  const { documents, problems } = readEachDocument(await sourceOf(terminal, file, options), limits(options));
  const nodes = documents.flatMap((document) => identityOfBootstrap(document) ?? []);
  if (nodes.length > 0) return distinctIdentities(nodes);
  if (!documents.some(isKubernetes)) throw noNode(documents[0]?.name ?? file);
  return distinctIdentities(pickWorkloads(manifestOf(documents, problems), options.workload).map(identityOfWorkload));
}

function isKubernetes({ value }: SourceDocument): boolean {
  return typeof value === 'object' && value !== null && ('kind' in value || Array.isArray(value) || 'items' in value);
}
