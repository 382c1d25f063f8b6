import type { JsonObject } from '../envoy/index.ts';
import type { Problem } from '../errors.ts';
import type { DocumentPath, PositionOf, SourceDocument } from '../protobuf/document.ts';
import type { EnvEntry } from './env-entry.ts';
import type { ProxyArgs } from './proxy-args.ts';
import type { WorkloadIdentity } from './workload-identity.ts';

/** What runs pilot-agent: a sidecar, a gateway (`proxy router`), a waypoint, or an agent (or a bootstrap made by a script) for proxyless gRPC. */
export type Flavour = 'sidecar' | 'gateway' | 'waypoint' | 'proxyless-grpc';

/** The releases whose injector writes a container of this form. Told from the container alone, so it is a range. */
export interface ManifestForm {
  /** First and last minor release, e.g. `1.5` and `1.7`; no `until` = still so in 1.31. */
  readonly since: string;
  readonly until?: string;
  /** What it was told from, a phrase each: `--discoveryAddress is an argument`. */
  readonly signs: readonly string[];
  /** The release in the tag of the proxy's image, `1.26.0`, if that is one. */
  readonly imageRelease?: string;
  /** Whether pilot-agent of today (1.20 and later) would still take it. */
  readonly current: boolean;
}

/** A pod as far as pilot-agent and the kubelet go: metadata and spec of a Pod, or of the template of what makes Pods. */
export interface PodTemplate {
  /** Where the pod (or template) stands in its document; `metadata` and `spec` are below it. */
  readonly path: DocumentPath;
  /** `metadata.name` of a Pod; a template has none. */
  readonly name?: string;
  /** Of the pod, else of the workload around it. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.serviceAccountName`, or its older spelling `serviceAccount`. Kubernetes makes `default` of nothing. */
  readonly serviceAccount?: string;
  readonly nodeName?: string;
  readonly hostNetwork: boolean;
  /** Of a running pod: `status.podIPs`, the first being `status.podIP`. */
  readonly podIps: readonly string[];
  readonly hostIps: readonly string[];
  /** `spec` as it was written. */
  readonly spec: JsonObject;
}

/** A volume that a container mounts, and where. */
export interface VolumeMount {
  readonly volume: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly: boolean;
  readonly path: DocumentPath;
}

/** A probe of the container, as people say it: `httpGet :15021/healthz/ready`. Times in seconds, as Kubernetes has them. */
export interface ContainerProbe {
  readonly type: 'readiness' | 'liveness' | 'startup';
  readonly httpGet?: { readonly path: string; readonly port: number | string };
  /** The probe as it was written. */
  readonly value: JsonObject;
  readonly path: DocumentPath;
}

/** The container that runs pilot-agent. */
export interface ProxyContainer {
  /** `istio-proxy`, unless a custom template gives it another name. */
  readonly name: string;
  readonly path: DocumentPath;
  readonly image?: string;
  /** True in `initContainers` with `restartPolicy: Always`. */
  readonly native: boolean;
  readonly args: ProxyArgs;
  /** In the order of the manifest, which is the order in which the kubelet expands `$(NAME)`. */
  readonly env: readonly EnvEntry[];
  /** ConfigMaps and Secrets of `envFrom`; what they hold is not known here. */
  readonly envFrom: readonly string[];
  readonly mounts: readonly VolumeMount[];
  readonly ports: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly probes: readonly ContainerProbe[];
  /** `resources.limits` and `resources.requests`, quantities as written: `2`, `1Gi`. */
  readonly limits: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
  /** The container as it was written. */
  readonly value: JsonObject;
}

/** A ConfigMap that stands in the same file, e.g. the one that `sidecar.istio.io/bootstrapOverride` names. */
export interface ManifestConfigMap {
  readonly name: string;
  readonly namespace?: string;
  readonly data: Readonly<Record<string, string>>;
  readonly path: DocumentPath;
  readonly positionOf: PositionOf;
}

/** One workload of a manifest that pilot-agent runs in. All paths are within its document; `positionOf` tells line and column. */
export interface InjectedWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  /** `metadata.name`, else `generateName` and `*`. */
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Where the object stands in its document: empty, or a place in a `List`. */
  readonly path: DocumentPath;
  readonly positionOf: PositionOf;
  /** The document it stands in. */
  readonly document: SourceDocument;
  readonly flavour: Flavour;
  readonly form: ManifestForm;
  readonly pod: PodTemplate;
  readonly proxy: ProxyContainer;
  readonly identity: WorkloadIdentity;
  /** Names of the other containers of the pod. */
  readonly appContainers: readonly string[];
  /** What is odd, and no reason not to read it. */
  readonly warnings: readonly Problem[];
}

/** A workload without a proxy, and why, where it can be told. */
export interface UninjectedWorkload {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  /** A sentence without a full stop: what was found instead of a proxy, and the reason. */
  readonly problem: Problem;
}

/** Everything that a manifest file holds, as far as it concerns the proxy. */
export interface Manifest {
  readonly file: string;
  readonly workloads: readonly InjectedWorkload[];
  readonly uninjected: readonly UninjectedWorkload[];
  readonly configMaps: readonly ManifestConfigMap[];
  /** Kinds of the other objects, `Service`, `Gateway`, in the order of the file. */
  readonly others: readonly string[];
  /** Documents that could not be read, one problem each. */
  readonly problems: readonly Problem[];
}
