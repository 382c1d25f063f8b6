import { basename } from 'node:path';
import { isJsonObject, type Json } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import { readDocument, type SourceDocument } from '../protobuf/document.ts';
import { readText } from '../protobuf/document-text.ts';
import { inside, textOf } from '../sidecar/bootstrap-place.ts';
import type { MeshConfig } from '../sidecar/mesh-config.ts';
import { pickWorkload, workloadText } from '../sidecar/pick-workload.ts';
import { readManifest } from '../sidecar/read-manifest.ts';
import { readMeshConfig } from '../sidecar/read-mesh-config.ts';
import type { InjectedWorkload, Manifest } from '../sidecar/workload.ts';
import { effectiveAddress, meshConfigIn, meshConfigOf } from './find-mesh-config.ts';
import { adsClusterPlace, gradeBootstrap, type WantedBootstrap } from './grade-bootstrap.ts';
import { gradeNode } from './grade-node.ts';
import { gradeTypoOutput, gradeValidate } from './grade-output.ts';
import { gradeReady } from './grade-ready.ts';
import { gradeReport } from './grade-report.ts';
import { gradeTypo } from './grade-typo.ts';
import { gradeValues, type WantedLine } from './grade-values.ts';
import { fileGrade, unjudged, type FileGrade, type LineGrade } from './grade.ts';
import { labFiles, workFiles, type LabFile, type WorkFile } from './lab-file.ts';
import { studentFolder, type LabFolder } from './lab-folder.ts';
import { lessonOf, podOfNodeId } from './lab-inputs.ts';
import { readNameValues } from './name-value.ts';
import { wantedArgs, wantedEnv, wantedIdentity, wantedMesh } from './wanted-lines.ts';

export interface GradeLabOptions {
  /** Instead of the folder's `inject.yaml`. */
  readonly manifest?: string;
  /** Instead of the mesh config in the folder. */
  readonly meshConfig?: string;
  /** Of several workloads; default: the one that the student's 02-env.txt names. */
  readonly workload?: string;
  readonly maxInputBytes: number;
}

/** What is said of a student's folder. */
export interface LabGrade {
  readonly dir: string;
  /** The workload that the files were held against. */
  readonly workload?: string;
  /** The mesh config that they were held against; undefined if there is none. */
  readonly meshConfig?: string;
  readonly files: readonly FileGrade[];
  /** Everything is right. */
  readonly ok: boolean;
}

/** Grades a folder, each file by its meaning and against the folder's own manifest and mesh config. Errors as `studentFolder`. */
export function gradeLab(dir: string, options: GradeLabOptions): LabGrade {
  const grading = new Grading(studentFolder(dir), options);
  const files = grading.files();
  const { workload, meshFile } = grading;
  return {
    dir,
    ...(workload ? { workload: workloadText(workload) } : {}),
    ...(meshFile === undefined ? {} : { meshConfig: meshFile }),
    files,
    ok: files.every(({ status }) => status === 'right'),
  };
}

const noManifest = 'inject.yaml has to be there and right first.';

class Grading {
  readonly #folder: LabFolder;
  readonly #options: GradeLabOptions;
  readonly meshFile: string | undefined;
  #manifest: Manifest | undefined;
  workload: InjectedWorkload | undefined;
  #mesh: MeshConfig | undefined;
  #bootstrap: SourceDocument | undefined;
  #typo: SourceDocument | undefined;

  constructor(folder: LabFolder, options: GradeLabOptions) {
    this.#folder = folder;
    this.#options = options;
    this.meshFile = options.meshConfig ?? meshConfigIn(folder, options.maxInputBytes);
  }

  files(): readonly FileGrade[] {
    const inputs = [this.#readManifest(), this.#readMesh()];
    const { workload } = this;
    const mesh = this.#mesh ?? meshConfigOf(workload);
    const isBroken = this.meshFile !== undefined && !this.#mesh;
    const values = (wanted: (workload: InjectedWorkload) => readonly WantedLine[]) => (text: string) =>
      workload ? gradeValues(text, wanted(workload)) : [unjudged('all lines', noManifest)];
    const brokenMesh = [unjudged('all lines', 'The mesh config has to be right first.')];
    const judges: Readonly<Record<WorkFile, () => FileGrade>> = {
      '01-args.txt': () => this.#text('01-args.txt', values(wantedArgs)),
      '02-env.txt': () => this.#text('02-env.txt', values(wantedEnv)),
      '03-mesh.txt': () =>
        this.#text('03-mesh.txt', (text) =>
          isBroken ? brokenMesh : gradeValues(text, wantedMesh(workload, mesh, this.meshFile !== undefined)),
        ),
      'bootstrap.yaml': () =>
        this.#document('bootstrap.yaml', (document) => {
          this.#bootstrap = document;
          return gradeBootstrap(document, this.#wantedBootstrap(document, isBroken ? undefined : mesh));
        }),
      '04-validate.txt': () => this.#text('04-validate.txt', gradeValidate),
      'boot-typo.yaml': () =>
        this.#document('boot-typo.yaml', (document) => {
          this.#typo = document;
          return gradeTypo(document, this.#bootstrap);
        }),
      '05-typo.txt': () => this.#text('05-typo.txt', (text) => gradeTypoOutput(text, adsCluster(this.#typo))),
      '06-node.json': () => this.#document('06-node.json', (document) => gradeNode(document, this.#bootstrap)),
      '06-ready.txt': () => this.#text('06-ready.txt', gradeReady),
      '07-identity.txt': () => this.#text('07-identity.txt', values(wantedIdentity)),
      '08-report.md': () =>
        this.#text('08-report.md', (text) =>
          gradeReport(text, {
            address: isBroken ? { unknown: 'The mesh config has to be right first.' } : [mesh.discoveryAddress.value],
            cluster: this.#xdsCluster(),
          }),
        ),
    };
    return [...inputs, ...workFiles.map((file) => judges[file]())];
  }

  #readManifest(): FileGrade {
    const { manifest, maxInputBytes } = this.#options;
    return this.#input('inject.yaml', manifest ?? this.#folder.path('inject.yaml'), manifest !== undefined, (file) => {
      this.#manifest = readManifest(file, { maxInputBytes });
      this.workload = this.#pick(this.#manifest);
    });
  }

  /** Of several the one that the student's own files are about. */
  #pick(manifest: Manifest): InjectedWorkload {
    const { workload } = this.#options;
    if (workload !== undefined || manifest.workloads.length < 2) return pickWorkload(manifest, workload);
    const meant = this.#valueIn('02-env.txt', 'ISTIO_META_WORKLOAD_NAME');
    const named = manifest.workloads.filter(({ proxy, name }) => {
      const entry = proxy.env.findLast((one) => one.name === 'ISTIO_META_WORKLOAD_NAME');
      return meant !== undefined && meant === (entry?.source === 'value' ? entry.value : name);
    });
    return named.length === 1 && named[0] ? named[0] : pickWorkload(manifest);
  }

  #valueIn(file: LabFile, name: string): string | undefined {
    try {
      const { text } = readText(this.#folder.path(file), this.#options.maxInputBytes);
      return readNameValues(text).lines.find((line) => line.name === name)?.value;
    } catch {
      return undefined;
    }
  }

  #readMesh(): FileGrade {
    const { meshFile } = this;
    const { meshConfig, maxInputBytes } = this.#options;
    // Not a fault of the student's: what can be known without it is known.
    if (meshFile === undefined) return fileGrade('mesh-config.yaml', []);
    const path = meshConfig ?? this.#folder.path(meshFile);
    return this.#input('mesh-config.yaml', path, meshConfig !== undefined, (file) => {
      this.#mesh = readMeshConfig(file, { maxInputBytes });
    });
  }

  #wantedBootstrap(document: SourceDocument, mesh: MeshConfig | undefined): WantedBootstrap {
    const { workload } = this;
    const unknown = 'The mesh config has to be right first.';
    if (!workload || !this.#manifest) {
      return { node: { unknown: noManifest }, addresses: mesh ? [mesh.discoveryAddress.value] : { unknown } };
    }
    if (!mesh) return { node: { unknown }, addresses: { unknown } };
    const id = textOf(inside({ value: document.value, path: [] }, 'node', 'id')) ?? '';
    try {
      const made = lessonOf({ manifest: this.#manifest, workload, mesh }, podOfNodeId(workload, id));
      const effective = effectiveAddress(workload, mesh);
      return {
        node: nodeOfLesson(made.bootstrap['node']),
        addresses: [...new Set([mesh.discoveryAddress.value, ...(effective === undefined ? [] : [effective])])],
      };
    } catch (error) {
      return { node: { unknown: FakeIstiodError.from(error).message }, addresses: [mesh.discoveryAddress.value] };
    }
  }

  #xdsCluster(): WantedLine['values'] {
    const name = adsCluster(this.#bootstrap);
    return name === undefined ? { unknown: 'bootstrap.yaml has to name one first.' } : [name];
  }

  /** What was named on the command line is not the student's to have right. */
  #input(file: LabFile, path: string, isGiven: boolean, read: (path: string) => void): FileGrade {
    try {
      read(path);
      return { ...fileGrade(file, []), path: basename(path) };
    } catch (error) {
      if (isGiven) throw error;
      return { ...broken(file, error), path: basename(path) };
    }
  }

  #text(file: LabFile, judge: (text: string) => readonly LineGrade[]): FileGrade {
    return this.#read(file, (path) => {
      const { text } = readText(path, this.#options.maxInputBytes);
      if (text.trim() === '') throw FakeIstiodError.of('input.empty', [{ what: 'holds nothing but blanks' }]);
      return judge(text);
    });
  }

  #document(file: LabFile, judge: (document: SourceDocument) => readonly LineGrade[]): FileGrade {
    return this.#read(file, (path) => judge(readDocument(path, { maxInputBytes: this.#options.maxInputBytes })));
  }

  #read(file: LabFile, judge: (path: string) => readonly LineGrade[]): FileGrade {
    if (!this.#folder.has(file)) {
      return { ...fileGrade(file, []), status: 'missing', problem: 'is not there', hint: `Asked for is ${labFiles[file]}.` };
    }
    try {
      return fileGrade(file, judge(this.#folder.path(file)));
    } catch (error) {
      return broken(file, error);
    }
  }
}

/** A file that cannot be read: one line, whatever is wrong with it. */
function broken(file: LabFile, error: unknown): FileGrade {
  const known = FakeIstiodError.from(error);
  if (known.code === 'internal') throw error;
  const [first, ...more] = known.problems;
  const where = first?.at?.line === undefined ? '' : `line ${first.at.line}: `;
  const what = first ? `${where}${first.what}` : known.message;
  const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
  const status = first?.what === 'no such file' ? 'missing' : 'wrong';
  const asked = `Asked for is ${labFiles[file]}.`;
  const hint =
    known.code === 'input.empty'
      ? asked
      : status === 'missing'
        ? `It is ${labFiles[file]}: copy it here, or give it with --manifest.`
        : first?.remedy;
  return {
    ...fileGrade(file, []),
    status,
    problem: `${what}${rest}`,
    ...(hint === undefined ? {} : { hint: hint.endsWith('.') ? hint : `${hint}.` }),
  };
}

function adsCluster(document: SourceDocument | undefined): string | undefined {
  return document && textOf(adsClusterPlace({ value: document.value, path: [] }));
}

function nodeOfLesson(node: Json | undefined): Extract<WantedBootstrap['node'], { readonly id: string }> {
  const fields = isJsonObject(node) ? node : {};
  const { id, cluster, metadata } = fields;
  return { id: String(id), cluster: String(cluster), metadata: isJsonObject(metadata) ? metadata : {} };
}
