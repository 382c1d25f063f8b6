import type { Json, JsonObject } from '../envoy/index.ts';
import type { SourcePosition } from '../errors.ts';
import type { PositionOf } from '../protobuf/document.ts';
import type { Evidence } from './evidence.ts';
import { quoted } from './evidence.ts';
import type { ContainerFact } from './fact.ts';
import { field, fieldAt, objectsOf, textOf } from './json-access.ts';

/** What of an injected workload may keep its proxy from getting ready. */
export interface WorkloadFacts {
  /** `Deployment/payments`. */
  readonly name: string;
  readonly at: SourcePosition;
  readonly hasProxy: boolean;
  /** Projected service account token of the proxy; its audience is undefined where it is the API server's own. */
  readonly token: { readonly audience: string | undefined; readonly evidence: Evidence } | undefined;
  readonly env: ReadonlyMap<string, { readonly value: string; readonly evidence: Evidence }>;
  readonly args: readonly string[];
  readonly annotations: ReadonlyMap<string, { readonly value: string; readonly evidence: Evidence }>;
  readonly hostNetwork: Evidence | undefined;
  readonly dnsPolicy: string | undefined;
  /** `lifecycle.postStart` waits for the proxy. */
  readonly postStartWait: Evidence | undefined;
}

type Path = readonly (string | number)[];

/** The pod within a workload: spec and metadata, and where they stand. */
function podOf(object: JsonObject): { readonly pod: Json | undefined; readonly path: Path } {
  if (object['kind'] === 'Pod') return { pod: object, path: [] };
  if (object['kind'] === 'CronJob')
    return { pod: fieldAt(object, 'spec.jobTemplate.spec.template'), path: ['spec', 'jobTemplate', 'spec', 'template'] };
  return { pod: fieldAt(object, 'spec.template'), path: ['spec', 'template'] };
}

/** Kinds that hold pods. */
export const workloadKinds: ReadonlySet<string> = new Set([
  'Pod',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'CronJob',
  'DeploymentConfig',
  'Rollout',
]);

/** Reads one workload; undefined for a Kubernetes object that has no pods. */
export function workloadFacts(object: JsonObject, positionOf: PositionOf, base: Path = []): WorkloadFacts | undefined {
  const kind = textOf(object['kind']) ?? '';
  if (!workloadKinds.has(kind)) return undefined;
  const { pod, path } = podOf(object);
  const at = (...more: Path): SourcePosition => positionOf([...base, ...path, ...more]);
  const spec = field(pod, 'spec');
  const found = proxyContainer(spec);
  const container = found?.container;
  const place = (...more: Path): SourcePosition => at('spec', found?.list ?? 'containers', found?.index ?? 0, ...more);
  const env = new Map<string, { value: string; evidence: Evidence }>();
  for (const [i, entry] of objectsOf(field(container, 'env')).entries()) {
    const [name, value] = [textOf(entry['name']), textOf(entry['value'])];
    if (name !== undefined && value !== undefined) env.set(name, { value, evidence: quoted(place('env', i), `${name}=${value}`) });
  }
  const annotations = new Map<string, { value: string; evidence: Evidence }>();
  for (const [name, value] of Object.entries((fieldAt(pod, 'metadata.annotations') as JsonObject | undefined) ?? {}))
    if (typeof value === 'string')
      annotations.set(name, { value, evidence: quoted(at('metadata', 'annotations', name), `${name}: ${value}`) });
  const hostNetwork = field(spec, 'hostNetwork') === true ? quoted(at('spec', 'hostNetwork'), 'hostNetwork: true') : undefined;
  const postStart = JSON.stringify(fieldAt(container, 'lifecycle.postStart') ?? null);
  return {
    name: `${kind}/${textOf(fieldAt(object, 'metadata.name')) ?? textOf(fieldAt(object, 'metadata.generateName')) ?? ''}`,
    at: at(),
    hasProxy: container !== undefined,
    token: tokenOf(spec, container, at),
    env,
    args: objectsOrTexts(field(container, 'args')),
    annotations,
    hostNetwork,
    dnsPolicy: textOf(field(spec, 'dnsPolicy')),
    postStartWait: /pilot-agent.*wait/.test(postStart) ? quoted(place('lifecycle', 'postStart'), `postStart: ${postStart}`) : undefined,
  };
}

function objectsOrTexts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).flatMap((one) => textOf(one) ?? []) : [];
}

function proxyContainer(spec: Json | undefined): { container: JsonObject; list: string; index: number } | undefined {
  for (const list of ['containers', 'initContainers']) {
    const containers = objectsOf(field(spec, list));
    const index = containers.findIndex((one) => one['name'] === 'istio-proxy');
    const container = containers[index];
    if (container) return { container, list, index };
  }
  return undefined;
}

function tokenOf(spec: Json | undefined, container: JsonObject | undefined, at: (...path: Path) => SourcePosition): WorkloadFacts['token'] {
  const mounted = new Set(objectsOf(field(container, 'volumeMounts')).map((mount) => mount['name']));
  for (const [i, volume] of objectsOf(field(spec, 'volumes')).entries()) {
    for (const [j, source] of objectsOf(fieldAt(volume, 'projected.sources')).entries()) {
      const token = field(source, 'serviceAccountToken');
      const name = textOf(volume['name']) ?? '';
      if (token === undefined || !mounted.has(name) || !/istio-token/.test(`${name} ${textOf(field(token, 'path')) ?? ''}`)) continue;
      const audience = textOf(field(token, 'audience'));
      const where = at(
        'spec',
        'volumes',
        i,
        'projected',
        'sources',
        j,
        'serviceAccountToken',
        ...(audience === undefined ? [] : ['audience']),
      );
      return {
        audience,
        evidence: quoted(where, audience === undefined ? 'serviceAccountToken without audience' : `audience: ${audience}`),
      };
    }
  }
  return undefined;
}

/** What the status of a Pod says of its proxy. */
export function containerFacts(object: JsonObject, positionOf: PositionOf, base: Path = []): readonly ContainerFact[] {
  const lists = ['containerStatuses', 'initContainerStatuses'] as const;
  return lists.flatMap((list) =>
    objectsOf(fieldAt(object, `status.${list}`)).map((status, i): ContainerFact => {
      const state = Object.entries((status['state'] as JsonObject | undefined) ?? {})[0];
      const last = fieldAt(status, 'lastState.terminated');
      const [restarts, exitCode, lastExitCode] = [status['restartCount'], field(state?.[1], 'exitCode'), field(last, 'exitCode')];
      const reason = textOf(field(state?.[1], 'reason'));
      const lastReason = textOf(field(last, 'reason'));
      const name = textOf(status['name']) ?? '';
      const told = [reason, typeof exitCode === 'number' ? `exit code ${exitCode}` : undefined].filter(Boolean).join(', ');
      return {
        fact: 'container',
        ...quoted(
          positionOf([...base, 'status', list, i]),
          `${name}: ready ${String(status['ready'])}, restarts ${String(restarts)}, ${state?.[0] ?? 'state unknown'}${told ? ` (${told})` : ''}${lastReason === undefined ? '' : `, before that ${lastReason}${typeof lastExitCode === 'number' ? ` with ${lastExitCode}` : ''}`}`,
        ),
        name,
        ...(typeof status['ready'] === 'boolean' ? { ready: status['ready'] } : {}),
        ...(typeof restarts === 'number' ? { restarts } : {}),
        ...(state ? { state: state[0] } : {}),
        ...(reason === undefined ? {} : { reason }),
        ...(typeof exitCode === 'number' ? { exitCode } : {}),
        ...(lastReason === undefined ? {} : { lastReason }),
        ...(typeof lastExitCode === 'number' ? { lastExitCode } : {}),
      };
    }),
  );
}
