import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { ReleaseFeatures } from './release-line.ts';

export interface NodeClusterInput {
  readonly proxyConfig: JsonObject;
  readonly metadata: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly features: ReleaseFeatures;
}

/** A name, and the words for where it comes from. */
export interface NodeCluster {
  readonly value: string;
  readonly from: string;
}

/** `node.cluster`. @see istio pkg/bootstrap/config.go:getServiceCluster */
export function nodeCluster(input: NodeClusterInput): NodeCluster {
  const { proxyConfig, metadata, labels } = input;
  const naming = proxyConfig['tracingServiceName'];
  if (naming !== 'CANONICAL_NAME_ONLY' && naming !== 'CANONICAL_NAME_AND_NAMESPACE') {
    return orDefault(
      naming === undefined ? text(proxyConfig['serviceCluster']) : 'istio-proxy',
      'serviceCluster of the ProxyConfig',
      input,
    );
  }
  const workload = text(metadata['WORKLOAD_NAME']) || 'istio-proxy';
  const key = ['service.istio.io/canonical-name', 'app.kubernetes.io/name', 'app'].find((label) => labels[label] !== undefined);
  const name = key === undefined ? workload : (labels[key] ?? '');
  const from = `tracingServiceName ${naming}, ${key === undefined ? 'WORKLOAD_NAME' : `label ${key}`}`;
  const namespace = text(metadata['NAMESPACE']);
  return naming === 'CANONICAL_NAME_AND_NAMESPACE' && namespace !== ''
    ? { value: `${name}.${namespace}`, from }
    : orDefault(name, from, input);
}

/** @note The name `istio-proxy` means "not set". */
function orDefault(name: string, from: string, { metadata, labels, features }: NodeClusterInput): NodeCluster {
  if (name !== '' && name !== 'istio-proxy') return { value: name, from };
  const namespace = text(metadata['NAMESPACE']);
  const label = features.appLabels.find((key) => labels[key] !== undefined);
  if (label !== undefined) return { value: `${labels[label] ?? ''}.${namespace}`, from: `label ${label} and POD_NAMESPACE` };
  const workload = text(metadata['WORKLOAD_NAME']);
  if (workload !== '') return { value: `${workload}.${namespace}`, from: 'WORKLOAD_NAME and POD_NAMESPACE' };
  return { value: namespace === '' ? 'istio-proxy' : `istio-proxy.${namespace}`, from: "pilot-agent's default" };
}

function text(value: Json | undefined): string {
  return value === undefined || value === null || isJsonObject(value) || Array.isArray(value) ? '' : String(value);
}
