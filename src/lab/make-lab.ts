import type { Clock } from '../clock.ts';
import { rewriteXdsAddress, startEnvoy, type Bootstrap, type EnvoyBinary, type EnvoyProcess } from '../envoy/index.ts';
import { isJsonObject } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import type { TimelineEvent } from '../events.ts';
import { readDocument, type SourceDocument } from '../protobuf/document.ts';
import type { RunResult } from '../runner/run-result.ts';
import { textOf, inside } from '../sidecar/bootstrap-place.ts';
import { labArgs, labEnv, labIdentity, labMesh, labText } from '../sidecar/lab-lines.ts';
import { envoySays, type EnvoySays } from './envoy-says.ts';
import { freePort } from './free-port.ts';
import { gatherInputs, type GatheredInputs } from './gather-inputs.ts';
import { goLive } from './go-live.ts';
import { adsClusterPlace } from './grade-bootstrap.ts';
import { LabDesk } from './lab-desk.ts';
import { LabFolder } from './lab-folder.ts';
import { lessonOf, lessonPod, type LabPod } from './lab-inputs.ts';
import { reportText } from './lab-report.ts';
import type { LabTold } from './lab-told.ts';
import { lookAtLonely, type LonelyEnvoy } from './lonely-envoy.ts';
import { withTypo } from './typo.ts';

export interface MakeLabOptions {
  readonly envoy: EnvoyBinary;
  readonly manifest?: string;
  readonly meshConfig?: string;
  readonly workload?: string;
  /** IP and name of the pod, where the manifest knows none. Default 10.0.0.7 and `WORKLOAD-6d5f9`. */
  readonly pod?: Partial<LabPod>;
  readonly variant: 'sotw' | 'delta';
  /** Overwrites what is there. Default: what somebody has put there stays, and is gone on with. */
  readonly force: boolean;
  /** Port of loopback for istiod; default any free one. */
  readonly port?: number;
  /** A folder for the report of the run with istiod. */
  readonly reportDir?: string;
  readonly maxInputBytes: number;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly tell: (told: LabTold) => void;
  readonly onEvent?: (event: TimelineEvent) => void;
}

/** What came of it. */
export interface MadeLab {
  readonly files: LabDesk['files'];
  /** The Envoy without istiod. */
  readonly lonely?: LonelyEnvoy;
  /** The same Envoy with istiod; undefined where it did not come to that. */
  readonly run?: RunResult;
  /** Why it did not. */
  readonly refused?: string;
}

/**
 * Makes the lab in a folder: its files out of manifest, mesh config and a real Envoy, then an istiod for the same Envoy. Errors are those of the
 * readers, of Envoy's start, and `output.unwritable`.
 */
export async function makeLab(dir: string, options: MakeLabOptions): Promise<MadeLab> {
  const { tell } = options;
  const desk = new LabDesk(new LabFolder(dir), options.force, tell);
  const inputs = gatherInputs(desk.folder, options);
  const { bootstrap, notes } = lessonOf(inputs, lessonPod(inputs.workload, options.pod), { variant: options.variant });
  const port = await freePort(options.port);
  desk.folder.make();
  tell({ kind: 'part', title: 'What pilot-agent starts from' });
  inputs.put(desk);
  for (const note of notes.filter(({ what }) => !/known only to the running pod/.test(what))) tell({ kind: 'note', text: note.what });
  desk.put('01-args.txt', labText(labArgs(inputs.workload)));
  desk.put('02-env.txt', labText(labEnv(inputs.workload)));
  desk.put('03-mesh.txt', labText(labMesh(inputs.workload, inputs.mesh)));
  desk.put('bootstrap.yaml', await yamlText(bootstrap));
  const document = readDocument(desk.folder.path('bootstrap.yaml'), { maxInputBytes: options.maxInputBytes });
  const says = await tryBootstraps(desk, document, options);
  if (!says.validate.ok) {
    desk.put('07-identity.txt', labText(labIdentity(inputs.workload)));
    const refused = `Envoy refuses ${desk.folder.path('bootstrap.yaml')}: ${says.validate.reason}`;
    return { files: desk.files, refused };
  }
  return runLab(desk, document, { inputs, typo: says.typo, port }, options);
}

/** `--mode validate` of the bootstrap and of the one with the mistake. */
async function tryBootstraps(
  desk: LabDesk,
  document: SourceDocument,
  { envoy, env }: MakeLabOptions,
): Promise<{ readonly validate: EnvoySays; readonly typo: EnvoySays }> {
  desk.tell({ kind: 'part', title: 'The first failure: Envoy refuses its bootstrap and ends (CrashLoop)' });
  const validate = await envoySays(envoy, desk.folder.path('bootstrap.yaml'), env);
  desk.putOutput('04-validate.txt', validate.text, validate.ok ? 'Envoy accepts it: rc=0' : `Envoy refuses it: ${validate.reason}`);
  desk.put('boot-typo.yaml', await yamlText(withTypo(plainJson(document))));
  const typo = await envoySays(envoy, desk.folder.path('boot-typo.yaml'), env);
  desk.putOutput(
    '05-typo.txt',
    typo.text,
    typo.ok ? 'Envoy accepts that: nothing is wrong with it' : `Envoy refuses it: ${typo.reason}; rc=${typo.code}`,
  );
  return { validate, typo };
}

interface Known {
  readonly inputs: GatheredInputs;
  readonly typo: EnvoySays;
  /** Where istiod will listen. */
  readonly port: number;
}

/** One Envoy: first alone, then with an istiod. */
async function runLab(desk: LabDesk, document: SourceDocument, known: Known, options: MakeLabOptions): Promise<MadeLab> {
  const { envoy, clock, env, signal } = options;
  const { port } = known;
  const bootstrap = rewriteXdsAddress(plainJson(document), { host: 'localhost', port });
  desk.tell({ kind: 'part', title: 'The second failure: Envoy runs and is not ready, for there is no istiod (1/2 Ready)' });
  desk.tell({
    kind: 'note',
    text: `On this machine nobody knows ${known.inputs.mesh.discoveryAddress.value}: for the run istiod is looked for at localhost:${port}, where nobody listens, and Envoy's admin API is on a free port. The file stays as it is.`,
  });
  const process = await startEnvoy({ envoy, bootstrap, clock, env });
  try {
    const lonely = await lookAtLonely(process.admin, clock, signal);
    putLonely(desk, document, known, lonely);
    if (signal.aborted) return { files: desk.files, lonely };
    const run = await withIstiod(desk, document, process, port, options);
    return { files: desk.files, lonely, run };
  } finally {
    await process.stop();
  }
}

function putLonely(desk: LabDesk, document: SourceDocument, { inputs, typo }: Known, lonely: LonelyEnvoy): void {
  const { node, readyCode, readyBody, connectedState } = lonely;
  desk.put('06-node.json', `${JSON.stringify(node, undefined, 2)}\n`);
  const state = connectedState ?? '';
  desk.put(
    '06-ready.txt',
    `ready_code=${readyCode}\nready_body=${readyBody}\nconnected_state=${state}\n`,
    `/ready says ${readyCode} ${readyBody}, control_plane.connected_state is ${state}`,
  );
  desk.put('07-identity.txt', labText(labIdentity(inputs.workload)));
  const cluster = textOf(adsClusterPlace({ value: document.value, path: [] })) ?? '';
  desk.put('08-report.md', reportText({ address: inputs.mesh.discoveryAddress.value, cluster, typoCode: typo.code, lonely }));
}

function withIstiod(
  desk: LabDesk,
  document: SourceDocument,
  { admin, pid }: EnvoyProcess,
  port: number,
  { clock, env, signal, reportDir, onEvent }: MakeLabOptions,
): Promise<RunResult> {
  desk.tell({ kind: 'part', title: `Where the lab had to stop: an istiod for the same Envoy (process ${pid})` });
  const apiType = textOf(inside({ value: document.value, path: [] }, 'dynamic_resources', 'ads_config', 'api_type')) ?? '';
  return goLive({
    adminUrl: admin.url,
    port,
    variant: apiType.includes('DELTA') ? 'delta' : 'sotw',
    clock,
    env,
    signal,
    ...(reportDir === undefined ? {} : { reportDir }),
    ...(onEvent ? { onEvent } : {}),
  });
}

async function yamlText(value: Bootstrap): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** A document as the plain JSON that Envoy reads. Error `bootstrap.invalid` if it is no mapping. */
function plainJson({ name, value }: SourceDocument): Bootstrap {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) ?? 'null';
  const plain: unknown = JSON.parse(text);
  if (isJsonObject(plain)) return plain;
  throw FakeIstiodError.of('bootstrap.invalid', [{ at: { file: name }, what: 'is not a mapping, as a bootstrap is' }]);
}
