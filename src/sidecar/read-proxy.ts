import type { Json, JsonObject } from '../envoy/json.ts';
import type { Problem } from '../errors.ts';
import type { DocumentPath, PositionOf } from '../protobuf/document.ts';
import { optional } from './pod-template.ts';
import { parseProxyArgs } from './proxy-args.ts';
import { readEnv } from './read-env.ts';
import type { ContainerProbe, PodTemplate, ProxyContainer, VolumeMount } from './workload.ts';
import { listAt, objectAt, textAt, textsAt, valueAt } from './written-value.ts';

/** A container of a pod, and where it stands. */
export interface PodContainer {
  readonly name: string;
  readonly value: JsonObject;
  readonly path: DocumentPath;
  readonly isInit: boolean;
}

/** All containers of a pod: those that start first come first. */
export function containersOf(pod: PodTemplate): readonly PodContainer[] {
  return (['initContainers', 'containers'] as const).flatMap((section) =>
    listAt(pod.spec, section).map((value, i) => ({
      name: textAt(value, 'name') ?? '',
      value: objectAt(value),
      path: [...pod.path, 'spec', section, i],
      isInit: section === 'initContainers',
    })),
  );
}

/** Whether a container is, or runs, pilot-agent. */
export function isProxy({ name, value }: PodContainer): boolean {
  return name === 'istio-proxy' || runsPilotAgent(value);
}

/** `proxy sidecar` and its like; `istio-init` and others run the same image with other words. */
function runsPilotAgent(container: JsonObject): boolean {
  const [command, args] = [textsOf(container['command']), textsOf(container['args'])];
  const words = [...command, ...args];
  const first = words.findIndex((word) => !/(^|\/)pilot-agent$/.test(word));
  return words[first] === 'proxy' && /^(sidecar|router|waypoint|ingress|ztunnel)$/.test(words[first + 1] ?? '');
}

/** A container that the user wrote for the injector to fill in (`image: auto`), and that the injector has not seen yet. */
export function isStub({ value }: PodContainer): boolean {
  return textsOf(value['args']).length === 0 && textsOf(value['command']).length === 0 && !hasIdentityEnv(value);
}

function hasIdentityEnv(value: JsonObject): boolean {
  return listAt(value, 'env').some((entry) => ['POD_NAME', 'CA_ADDR', 'INSTANCE_IP'].includes(textAt(entry, 'name') ?? ''));
}

/** Reads the container of the proxy. What Kubernetes would refuse goes to `problems`. */
export function readProxy(container: PodContainer, positionOf: PositionOf, problems: Problem[]): ProxyContainer {
  const { name, value, path, isInit } = container;
  return {
    name,
    path,
    ...optional('image', textAt(value, 'image')),
    native: isInit,
    args: parseProxyArgs(textsOf(value['args']), textsOf(value['command'])),
    env: readEnv(listAt(value, 'env'), [...path, 'env'], positionOf, problems),
    envFrom: listAt(value, 'envFrom').map(envFromText),
    mounts: listAt(value, 'volumeMounts').map((mount, i) => mountOf(mount, [...path, 'volumeMounts', i])),
    ports: listAt(value, 'ports').flatMap(portOf),
    probes: probesOf(value, path),
    limits: textsAt(value, 'resources', 'limits'),
    requests: textsAt(value, 'resources', 'requests'),
    value,
  };
}

function textsOf(value: unknown): readonly string[] {
  return listAt(value).map((item) => textAt(item) ?? '');
}

function envFromText(item: Json): string {
  const kind = textAt(item, 'configMapRef', 'name') === undefined ? 'secretRef' : 'configMapRef';
  return `${kind}:${textAt(item, kind, 'name') ?? ''}`;
}

function mountOf(mount: Json, path: DocumentPath): VolumeMount {
  return {
    volume: textAt(mount, 'name') ?? '',
    mountPath: textAt(mount, 'mountPath') ?? '',
    ...optional('subPath', textAt(mount, 'subPath')),
    readOnly: valueAt(mount, 'readOnly') === true,
    path,
  };
}

function portOf(port: Json): ProxyContainer['ports'] {
  const containerPort = Number(textAt(port, 'containerPort'));
  return Number.isInteger(containerPort) ? [{ ...optional('name', textAt(port, 'name')), containerPort }] : [];
}

function probesOf(container: JsonObject, path: DocumentPath): readonly ContainerProbe[] {
  return (['startup', 'readiness', 'liveness'] as const).flatMap((type) => {
    const key = `${type}Probe`;
    if (container[key] === undefined || container[key] === null) return [];
    const value = objectAt(container, key);
    const [get, port] = [value['httpGet'], valueAt(value, 'httpGet', 'port')];
    const isGet = get !== undefined && (typeof port === 'number' || typeof port === 'string');
    const httpGet = isGet ? { path: textAt(get, 'path') ?? '/', port } : undefined;
    return [{ type, ...optional('httpGet', httpGet), value, path: [...path, key] }];
  });
}
