import { isJsonObject, type JsonObject } from '../envoy/json.ts';
import { FakeIstiodError, type Problem } from '../errors.ts';
import {
  readEachDocument,
  type DocumentPath,
  type DocumentSource,
  type ReadDocumentOptions,
  type SourceDocument,
} from '../protobuf/document.ts';
import { flavourOf, manifestForm } from './manifest-form.ts';
import { isWorkloadKind, optional, podTemplateOf } from './pod-template.ts';
import { readIdentity } from './read-identity.ts';
import { containersOf, isProxy, isStub, readProxy } from './read-proxy.ts';
import { whyUninjected } from './uninjected.ts';
import { annotationProblems, workloadFindings } from './workload-findings.ts';
import type { InjectedWorkload, Manifest, ManifestConfigMap, PodTemplate, UninjectedWorkload } from './workload.ts';
import { objectAt, textAt, textsAt } from './written-value.ts';

/**
 * Reads a Kubernetes manifest: any number of documents, lists among them, and takes out what pilot-agent runs in. What is broken costs only
 * itself and is told in `problems`.
 *
 * @throws FakeIstiodError `input.…` if nothing can be read; `input.unrecognised` if nothing in it is a Kubernetes object.
 */
export function readManifest(source: DocumentSource, options: ReadDocumentOptions = {}): Manifest {
  const { documents, problems } = readEachDocument(source, options);
  return manifestOf(documents, problems);
}

/** As `readManifest`, of documents that are read already. */
export function manifestOf(documents: readonly SourceDocument[], problems: readonly Problem[] = []): Manifest {
  const found = new Collected(documents[0]?.name ?? '', problems);
  for (const document of documents) found.takeDocument(document);
  if (found.objects === 0) throw notKubernetes(documents[0], problems);
  return found.manifest();
}

/** Every object of a list, and of lists in it. */
function* objectsOf(value: unknown, path: DocumentPath = []): Generator<readonly [JsonObject, DocumentPath]> {
  if (Array.isArray(value)) {
    for (const [i, item] of (value as readonly unknown[]).entries()) yield* objectsOf(item, [...path, i]);
  } else if (isJsonObject(value)) {
    const isList = Array.isArray(value['items']) && (value['kind'] === undefined || /List$/.test(textAt(value, 'kind') ?? ''));
    if (isList) yield* objectsOf(value['items'], [...path, 'items']);
    else yield [value, path];
  }
}

class Collected {
  readonly #file: string;
  readonly #problems: Problem[];
  readonly #workloads: InjectedWorkload[] = [];
  readonly #uninjected: UninjectedWorkload[] = [];
  readonly #configMaps: ManifestConfigMap[] = [];
  readonly #others: string[] = [];
  objects = 0;

  constructor(file: string, problems: readonly Problem[]) {
    this.#file = file;
    this.#problems = [...problems];
  }

  takeDocument(document: SourceDocument): void {
    let isList = false;
    for (const [object, path] of objectsOf(document.value)) {
      isList = true;
      const kind = textAt(object, 'kind');
      if (kind !== undefined && textAt(object, 'apiVersion') !== undefined) this.#take(kind, object, path, document);
      else this.#problems.push(this.#notAnObject(document, path));
    }
    const isEmptyList = Array.isArray(objectAt(document.value)['items']);
    if (isEmptyList && !isList) this.objects += 1;
    if (!isList && !isEmptyList) this.#problems.push(this.#notAnObject(document, []));
  }

  manifest(): Manifest {
    return {
      file: this.#file,
      workloads: this.#workloads,
      uninjected: this.#uninjected,
      configMaps: this.#configMaps,
      others: this.#others,
      problems: this.#problems,
    };
  }

  #notAnObject(document: SourceDocument, path: DocumentPath): Problem {
    const what = 'is no Kubernetes object: it has no apiVersion and kind';
    return { at: document.positionOf(path), what, remedy: 'Give what `kubectl apply` would take' };
  }

  #take(kind: string, object: JsonObject, path: DocumentPath, document: SourceDocument): void {
    this.objects += 1;
    const pod = podTemplateOf(object, path);
    if (pod) return this.#takeWorkload(kind, object, path, pod, document);
    if (isWorkloadKind(kind)) {
      const what = `${kind} ${nameOf(object)}: no containers where a ${kind} has them`;
      this.#problems.push({ at: document.positionOf([...path, 'spec']), what, remedy: 'Is the manifest complete?' });
      return;
    }
    if (kind === 'ConfigMap') {
      const namespace = textAt(object, 'metadata', 'namespace');
      const data = textsAt(object, 'data');
      this.#configMaps.push({ name: nameOf(object), ...optional('namespace', namespace), data, path, positionOf: document.positionOf });
    }
    this.#others.push(kind);
  }

  #takeWorkload(kind: string, object: JsonObject, path: DocumentPath, pod: PodTemplate, document: SourceDocument): void {
    const name = nameOf(object);
    const { positionOf } = document;
    const namespace = textAt(object, 'metadata', 'namespace') ?? pod.namespace;
    const containers = containersOf(pod);
    const proxies = containers.filter(isProxy);
    const named = proxies.filter((container) => container.name === 'istio-proxy');
    const [proxyContainer, second] = named.length > 0 ? named : proxies;
    if (proxyContainer && second) {
      this.#problems.push({
        at: positionOf([...second.path, 'name']),
        what: `${kind} ${name}: two containers are ${named.length > 0 ? 'named istio-proxy' : 'pilot-agent'}, the other one at line ${positionOf(proxyContainer.path).line ?? '?'}`,
        remedy: named.length > 0 ? 'Kubernetes takes a name once in a pod; remove one of the two' : 'Remove one of the two',
      });
      return;
    }
    if (!proxyContainer || (isStub(proxyContainer) && proxyContainer.name === 'istio-proxy')) {
      this.#problems.push(...annotationProblems(pod, document));
      const problem = whyUninjected(`${kind} ${name}`, pod, containers, positionOf);
      this.#uninjected.push({ kind, name, ...optional('namespace', namespace), problem });
      return;
    }
    const proxy = readProxy(proxyContainer, positionOf, this.#problems);
    const flavour = flavourOf(proxy, pod);
    const workload: InjectedWorkload = {
      apiVersion: textAt(object, 'apiVersion') ?? '',
      kind,
      name,
      ...optional('namespace', namespace),
      labels: textsAt(object, 'metadata', 'labels'),
      annotations: textsAt(object, 'metadata', 'annotations'),
      path,
      positionOf,
      document,
      flavour,
      form: manifestForm({ flavour, proxy, pod }),
      pod,
      proxy,
      identity: readIdentity(pod, proxy),
      appContainers: containers.filter((one) => one !== proxyContainer && !one.isInit).map((one) => one.name),
      warnings: [],
    };
    const { warnings, problems } = workloadFindings(workload);
    this.#problems.push(...problems);
    this.#workloads.push({ ...workload, warnings });
  }
}

function nameOf(object: JsonObject): string {
  const prefix = textAt(object, 'metadata', 'generateName');
  return textAt(object, 'metadata', 'name') ?? (prefix === undefined ? '(no name)' : `${prefix}*`);
}

function notKubernetes(document: SourceDocument | undefined, problems: readonly Problem[]): FakeIstiodError {
  const at = { file: document?.name ?? '', line: 1 };
  const remedy = 'Give an injected manifest: the output of `istioctl kube-inject`, or `kubectl get pod NAME -o yaml`';
  const value = document?.value;
  const what =
    typeof value === 'string'
      ? 'is text, not a Kubernetes object in YAML or JSON'
      : 'is no Kubernetes manifest: nothing in it has apiVersion and kind';
  const syntax = problems.filter((problem) => !problem.what.startsWith('is no Kubernetes object'));
  return FakeIstiodError.of('input.unrecognised', [{ at, what, remedy }, ...syntax]);
}
