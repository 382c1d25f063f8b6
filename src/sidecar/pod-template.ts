import type { JsonObject } from '../envoy/json.ts';
import type { DocumentPath } from '../protobuf/document.ts';
import type { PodTemplate } from './workload.ts';
import { listAt, objectAt, textAt, textsAt, valueAt } from './written-value.ts';

/** Where objects of a kind keep their pod template, when it is not `spec.template`. */
const otherPlaces: Readonly<Record<string, DocumentPath>> = {
  Pod: [],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
  PodTemplate: ['template'],
};

/** Kinds that certainly make pods. Others do if they have a template: Argo's Rollout, Knative's Service, OpenShift's DeploymentConfig. */
const workloadKinds: readonly string[] = [
  'Pod',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'DeploymentConfig',
  'Job',
  'CronJob',
];

/** Whether an object of this kind must have a pod in it. */
export function isWorkloadKind(kind: string): boolean {
  return workloadKinds.includes(kind);
}

/** The pod, or the template of pods, of a Kubernetes object at `path`; undefined if it makes none. */
export function podTemplateOf(object: JsonObject, path: DocumentPath): PodTemplate | undefined {
  const place = otherPlaces[textAt(object, 'kind') ?? ''] ?? ['spec', 'template'];
  const pod = valueAt(object, ...place);
  const spec = objectAt(pod, 'spec');
  if (!Array.isArray(spec['containers']) && !Array.isArray(spec['initContainers'])) return undefined;
  const isPod = place.length === 0;
  const namespace = textAt(pod, 'metadata', 'namespace') ?? textAt(object, 'metadata', 'namespace');
  const serviceAccount = textAt(spec, 'serviceAccountName') ?? textAt(spec, 'serviceAccount');
  return {
    path: [...path, ...place],
    ...optional('name', isPod ? textAt(pod, 'metadata', 'name') : undefined),
    ...optional('namespace', namespace),
    ...optional('uid', isPod ? textAt(pod, 'metadata', 'uid') : undefined),
    labels: textsAt(pod, 'metadata', 'labels'),
    annotations: textsAt(pod, 'metadata', 'annotations'),
    ...optional('serviceAccount', serviceAccount),
    ...optional('nodeName', textAt(spec, 'nodeName')),
    hostNetwork: spec['hostNetwork'] === true,
    podIps: ipsOf(pod, 'podIPs', 'podIP'),
    hostIps: ipsOf(pod, 'hostIPs', 'hostIP'),
    spec,
  };
}

function ipsOf(pod: unknown, many: string, one: string): readonly string[] {
  const ips = listAt(pod, 'status', many).flatMap((entry) => textAt(entry, 'ip') ?? []);
  const first = textAt(pod, 'status', one);
  return ips.length > 0 || first === undefined ? ips : [first];
}

/** `{ key: value }`, or nothing if there is no value. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
