import { isJsonObject, type JsonObject } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import type { DocumentPath, PositionOf, SourceDocument } from '../protobuf/document.ts';
import { readInnerDocument } from '../protobuf/inner-document.ts';
import { messageShape } from '../protobuf/shape-registry.ts';
import { meshConfigMessage, proxyConfigMessage } from './api-fields.ts';
import type { MeshConfigForm } from './mesh-config.ts';
import { listAt, objectAt, textAt, valueAt } from './written-value.ts';

/** A MeshConfig or ProxyConfig as it was found in a file, and where. */
export interface FoundMeshConfig {
  readonly form: MeshConfigForm;
  readonly value: unknown;
  readonly positionOf: PositionOf;
  /** Of a ConfigMap: its `meshNetworks`. */
  readonly networks?: { readonly value: unknown; readonly positionOf: PositionOf };
  /** What the object is called, where there may be several. */
  readonly name?: string;
}

/** Everything in a document that is a mesh config in some form. */
export function findMeshConfigs(document: SourceDocument): readonly FoundMeshConfig[] {
  return objectsIn(document.value, []).flatMap(([object, path]) => formOf(object, path, document) ?? []);
}

function objectsIn(value: unknown, path: DocumentPath): readonly (readonly [JsonObject, DocumentPath])[] {
  if (!isJsonObject(value)) return [];
  if (!Array.isArray(value['items'])) return [[value, path]];
  return listAt(value, 'items').flatMap((item, i) => objectsIn(item, [...path, 'items', i]));
}

function formOf(object: JsonObject, path: DocumentPath, document: SourceDocument): FoundMeshConfig | undefined {
  const kind = textAt(object, 'kind');
  if (kind === 'ConfigMap' || (kind === undefined && isJsonObject(object['data']))) return inConfigMap(object, path, document);
  if (kind === 'ProxyConfig') return ofResource(object, path, document);
  const place = wrapped.find((steps) => isJsonObject(valueAt(object, ...steps)));
  if (place) return { form: 'istio-operator', value: valueAt(object, ...place), positionOf: below(document, [...path, ...place]) };
  if (kind !== undefined && textAt(object, 'apiVersion') !== undefined) return undefined;
  const form = plainForm(object);
  return form && { form, value: object, positionOf: below(document, path) };
}

/** Where installers keep it: IstioOperator, the Sail operator's Istio, Helm values. */
const wrapped: readonly DocumentPath[] = [['spec', 'meshConfig'], ['spec', 'values', 'meshConfig'], ['meshConfig']];

function below({ positionOf }: SourceDocument, path: DocumentPath): PositionOf {
  return (inner, of) => positionOf([...path, ...inner], of);
}

function inConfigMap(object: JsonObject, path: DocumentPath, document: SourceDocument): FoundMeshConfig | undefined {
  const mesh = partOf(object, path, 'mesh', document);
  if (!mesh) return undefined;
  const networks = partOf(object, path, 'meshNetworks', document);
  return { form: 'config-map', ...mesh, name: textAt(object, 'metadata', 'name') ?? '', ...(networks ? { networks } : {}) };
}

/** An entry of a ConfigMap: text that holds YAML, or the YAML itself where somebody wrote it so. */
function partOf(
  object: JsonObject,
  path: DocumentPath,
  key: string,
  document: SourceDocument,
): { readonly value: unknown; readonly positionOf: PositionOf } | undefined {
  const value = valueAt(object, 'data', key);
  if (value === undefined) return undefined;
  const here = [...path, 'data', key];
  return readInnerDocument(document, here) ?? { value, positionOf: below(document, here) };
}

/** `kind: ProxyConfig` of networking.istio.io: the injector makes `proxyMetadata` of its variables. */
function ofResource(object: JsonObject, path: DocumentPath, document: SourceDocument): FoundMeshConfig {
  const { environmentVariables, ...spec } = objectAt(object, 'spec');
  const { selector: _, ...rest } = spec;
  const value = { ...rest, ...(environmentVariables === undefined ? {} : { proxyMetadata: environmentVariables }) };
  const positionOf: PositionOf = ([first, ...others], of) => {
    const step = first === 'proxyMetadata' ? 'environmentVariables' : first;
    return document.positionOf([...path, 'spec', ...(step === undefined ? [] : [step]), ...others], of);
  };
  return { form: 'proxy-config-resource', value, positionOf, name: textAt(object, 'metadata', 'name') ?? '' };
}

/** MeshConfig or ProxyConfig, by which of the two knows more of the keys. */
function plainForm(object: JsonObject): 'mesh-config' | 'proxy-config' | undefined {
  const keys = Object.keys(object);
  const known = (message: string): number => keys.filter((key) => messageShape(message).fieldNamed(key) !== undefined).length;
  const [mesh, proxy] = [known(meshConfigMessage), known(proxyConfigMessage)];
  if (keys.length > 0 && mesh === 0 && proxy === 0) return undefined;
  return proxy > mesh ? 'proxy-config' : 'mesh-config';
}

/** What a file is that holds no mesh config, as far as that can be told. */
export function notMeshConfig(documents: readonly SourceDocument[]): FakeIstiodError {
  const [document] = documents;
  const { what, remedy } = whatElse(document?.value);
  return FakeIstiodError.of('input.unrecognised', [{ at: { file: document?.name ?? '', line: 1 }, what, remedy }]);
}

const meant = 'Give a MeshConfig (mesh.yaml), or `kubectl -n istio-system get configmap istio -o yaml`';

function whatElse(value: unknown): { readonly what: string; readonly remedy: string } {
  if (typeof value === 'string' && /^[A-Z][A-Z0-9_]*=/.test(value)) {
    return {
      what: 'is a file of environment variables (cluster.env of a VM?), not a mesh config',
      remedy: 'Its neighbour mesh.yaml is one',
    };
  }
  if (!isJsonObject(value)) return { what: 'is no mesh config: it is no mapping', remedy: meant };
  const kind = textAt(value, 'kind');
  if (kind === 'ConfigMap') {
    const keys = Object.keys(objectAt(value, 'data')).join(', ');
    return { what: `is a ConfigMap without the key mesh (it has ${keys || 'nothing'})`, remedy: meant };
  }
  if (kind !== undefined) return { what: `is a Kubernetes ${kind}, not a mesh config`, remedy: meant };
  return { what: `is no mesh config: it knows none of ${Object.keys(value).slice(0, 5).join(', ')}`, remedy: meant };
}
