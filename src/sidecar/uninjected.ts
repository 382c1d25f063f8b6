import { valueAt, listAt, textAt } from './written-value.ts';
import type { Problem } from '../errors.ts';
import type { PositionOf } from '../protobuf/document.ts';
import type { PodTemplate } from './workload.ts';
import { isStub, type PodContainer } from './read-proxy.ts';

/** Namespaces that Istio's injector leaves alone. */
const ignoredNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'local-path-storage'];

const injectYourself = 'Give the output of `istioctl kube-inject -f FILE`, or a running pod: `kubectl get pod NAME -o yaml`';

/** Why a pod has no istio-proxy, as far as its own text tells. `subject` is what the pod is called: `Deployment shop`. */
export function whyUninjected(subject: string, pod: PodTemplate, containers: readonly PodContainer[], positionOf: PositionOf): Problem {
  const { what, remedy, path } = reasonOf(pod, containers);
  return { at: positionOf(path ?? pod.path), what: `${subject}: no istio-proxy: ${what}`, remedy };
}

interface Reason {
  readonly what: string;
  readonly remedy: string;
  readonly path?: readonly (string | number)[];
}

const reasons: readonly ((pod: PodTemplate, containers: readonly PodContainer[]) => Reason | undefined)[] = [
  stub,
  optOut,
  hostNetwork,
  otherTemplate,
  otherProxy,
  systemNamespace,
];

function reasonOf(pod: PodTemplate, containers: readonly PodContainer[]): Reason {
  for (const reason of reasons) {
    const found = reason(pod, containers);
    if (found) return found;
  }
  const what = 'it has not been through the injector (no sidecar.istio.io/status annotation)';
  const hint = 'A Deployment as a cluster with automatic injection keeps it never has a proxy, only its pods have';
  return { what, remedy: `${injectYourself}. ${hint}` };
}

function stub(_: PodTemplate, containers: readonly PodContainer[]): Reason | undefined {
  const found = containers.find((container) => container.name === 'istio-proxy' && isStub(container));
  if (!found) return undefined;
  const image = textAt(found.value, 'image');
  const what = `the container istio-proxy is there for the injector to fill in (${image === undefined ? 'no image' : `image: ${image}`}, no args)`;
  return { what, remedy: injectYourself, path: found.path };
}

function optOut({ annotations, labels, path }: PodTemplate): Reason | undefined {
  const key = 'sidecar.istio.io/inject';
  for (const [kind, values] of [['label', labels] as const, ['annotation', annotations] as const]) {
    const value = values[key];
    if (value !== undefined && ['false', 'no', 'n', 'off'].includes(value.toLowerCase())) {
      return {
        what: `the ${kind} ${key}: ${JSON.stringify(value)} tells the injector to leave it alone`,
        remedy: `Set it to "true", or take it away, and inject again`,
        path: [...path, 'metadata', `${kind}s`, key],
      };
    }
  }
  return undefined;
}

function hostNetwork({ hostNetwork: isHost, path }: PodTemplate): Reason | undefined {
  if (!isHost) return undefined;
  const what = 'hostNetwork: true, and the injector leaves pods of the host network alone, whose traffic is not theirs to redirect';
  return { what, remedy: 'Such a pod can only be outside the mesh', path: [...path, 'spec', 'hostNetwork'] };
}

/** Injected, but by a template that brings no proxy. */
function otherTemplate({ annotations, path }: PodTemplate, containers: readonly PodContainer[]): Reason | undefined {
  const status = annotations['sidecar.istio.io/status'];
  const templates = annotations['inject.istio.io/templates'];
  if (status === undefined) return undefined;
  const app = containers.find(({ value }) => listAt(value, 'env').some((entry) => textAt(entry, 'name') === 'GRPC_XDS_BOOTSTRAP'));
  const by = templates === undefined ? 'the injector has' : `the injector's template ${templates} has`;
  const at = [...path, 'metadata', 'annotations', templates === undefined ? 'sidecar.istio.io/status' : 'inject.istio.io/templates'];
  if (app) {
    return {
      what: `${by} made it proxyless: gRPC in container ${app.name} speaks xDS itself (GRPC_XDS_BOOTSTRAP)`,
      remedy: 'There is no Envoy to look at here; the template grpc-agent would at least bring pilot-agent',
      path: at,
    };
  }
  const names = containerNames(status);
  const touched = names.length > 0 ? `, only ${names.join(', ')}` : '';
  return { what: `${by} been here and brought none${touched}`, remedy: 'Inject with the template sidecar or gateway', path: at };
}

function containerNames(status: string): readonly string[] {
  try {
    return listAt(valueAt(JSON.parse(status), 'containers')).flatMap((name) => textAt(name) ?? []);
  } catch {
    return [];
  }
}

/** Other data planes of Istio: their proxy is not Envoy, and pilot-agent is not there. */
function otherProxy(_: PodTemplate, containers: readonly PodContainer[]): Reason | undefined {
  const other = containers.find(({ name }) => /^(agentgateway|ztunnel|linkerd-proxy|consul-dataplane|kuma-sidecar)$/.test(name));
  if (!other) return undefined;
  return {
    what: `its proxy is ${other.name}, which is not Envoy under pilot-agent`,
    remedy: 'Give a workload with istio-proxy',
    path: other.path,
  };
}

function systemNamespace({ namespace, path }: PodTemplate): Reason | undefined {
  if (namespace === undefined || !ignoredNamespaces.includes(namespace)) return undefined;
  return { what: `the injector never touches the namespace ${namespace}`, remedy: 'Nothing to be done', path };
}
