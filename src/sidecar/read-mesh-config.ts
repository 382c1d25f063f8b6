import { isJsonObject } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import { readDocument, type DocumentSource, type ReadDocumentOptions, type SourceDocument } from '../protobuf/document.ts';
import { defaultMaxInputBytes, readText } from '../protobuf/document-text.ts';
import { looksLikeTextFormat, readTextFormat } from '../protobuf/text-format.ts';
import { meshConfigMessage, meshNetworksMessage, proxyConfigMessage, readApiValue, type ApiValue } from './api-fields.ts';
import { findMeshConfigs, notMeshConfig, type FoundMeshConfig } from './mesh-config-form.ts';
import type { MeshConfig, Sourced } from './mesh-config.ts';
import { optional } from './pod-template.ts';
import { textAt } from './written-value.ts';

/** @see istio pkg/config/mesh/mesh.go:DefaultMeshConfig, DefaultProxyConfig */
export const meshDefaults = {
  discoveryAddress: 'istiod.istio-system.svc:15012',
  rootNamespace: 'istio-system',
  trustDomain: 'cluster.local',
} as const;

/**
 * Reads a mesh config in any of its forms: MeshConfig as YAML or JSON, the `istio` ConfigMap (as `kubectl get` gives it, in a list, with
 * mesh networks), a ProxyConfig (value of PROXY_CONFIG or of an annotation), the resource ProxyConfig, what installers hold
 * (`spec.meshConfig`), and ProxyConfig in protobuf's text format.
 *
 * @throws FakeIstiodError `input.…` if it cannot be read or is something else; `mesh-config.invalid` for what Istio would refuse.
 */
export function readMeshConfig(source: DocumentSource, { maxInputBytes = defaultMaxInputBytes }: ReadDocumentOptions = {}): MeshConfig {
  const { name, text } = readText(source, maxInputBytes);
  const found = looksLikeTextFormat(text) ? inTextFormat(name, text) : undefined;
  return meshConfigOf(name, found ?? onlyOne(name, readDocument({ name, bytes: Buffer.from(text) }, { maxInputBytes })));
}

/** Undefined if it is YAML after all: that may have keys in snake_case, too, but a message without a colon it has not. */
function inTextFormat(name: string, text: string): FoundMeshConfig | undefined {
  try {
    return { form: 'proxy-config-text', ...readTextFormat(proxyConfigMessage, name, text) };
  } catch (error) {
    if (/^\s*\w+\s*\{/m.test(text)) throw error;
    return undefined;
  }
}

function onlyOne(name: string, document: SourceDocument): FoundMeshConfig {
  const all = document.documents.flatMap(findMeshConfigs);
  const [found, second] = all;
  if (!found) throw notMeshConfig(document.documents);
  if (!second) return found;
  const main = all.filter((one) => one.name === 'istio');
  if (main.length === 1 && main[0]) return main[0];
  const what = `holds ${all.length} mesh configs${found.name === undefined ? '' : `: ${all.map((one) => one.name ?? one.form).join(', ')}`}`;
  throw FakeIstiodError.of('input.unrecognised', [
    { at: second.positionOf([]), what, remedy: `${name} must hold one, or one ConfigMap named istio among them` },
  ]);
}

function meshConfigOf(file: string, found: FoundMeshConfig): MeshConfig {
  const isProxyConfig = found.form.startsWith('proxy-config');
  if (found.value !== null && !isJsonObject(found.value)) {
    const what = 'the mesh config is no mapping';
    throw FakeIstiodError.of('mesh-config.invalid', [{ at: found.positionOf([]), what, remedy: 'Are there quotes too many around it?' }]);
  }
  const read = readApiValue(isProxyConfig ? proxyConfigMessage : meshConfigMessage, found.value, found.positionOf);
  const networks = found.networks && readApiValue(meshNetworksMessage, found.networks.value ?? {}, found.networks.positionOf);
  const problems = [...read.problems, ...(networks?.problems ?? [])];
  if (problems.length > 0) throw FakeIstiodError.of('mesh-config.invalid', problems);
  const { value } = read;
  const defaultConfig = isProxyConfig ? value : isJsonObject(value['defaultConfig']) ? value['defaultConfig'] : {};
  const place = isProxyConfig ? [] : ['defaultConfig'];
  return {
    file,
    form: found.form,
    value: isProxyConfig ? { defaultConfig: value } : value,
    defaultConfig,
    ...optional('networks', networks?.value),
    positionOf: isProxyConfig ? ([first, ...rest], of) => read.positionOf(first === 'defaultConfig' ? rest : [], of) : read.positionOf,
    discoveryAddress: sourced(read, [...place, 'discoveryAddress'], meshDefaults.discoveryAddress),
    rootNamespace: isProxyConfig ? byDefault(meshDefaults.rootNamespace) : sourced(read, ['rootNamespace'], meshDefaults.rootNamespace),
    trustDomain: isProxyConfig ? byDefault(meshDefaults.trustDomain) : sourced(read, ['trustDomain'], meshDefaults.trustDomain),
    warnings: [...read.warnings, ...(networks?.warnings ?? [])],
  };
}

function sourced({ value, positionOf }: ApiValue, path: readonly string[], fallback: string): Sourced<string> {
  const found = textAt(value, ...path);
  return found === undefined ? byDefault(fallback) : { value: found, source: 'mesh-config', at: positionOf(path) };
}

function byDefault(value: string): Sourced<string> {
  return { value, source: 'default' };
}
