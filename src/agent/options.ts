import type { WorkloadKey } from '../ca/workload-key.ts';
import type { Clock } from '../clock.ts';
import type { Bootstrap, EnvoyBinary, JsonObject } from '../envoy/index.ts';
import type { AgentLogLine } from './agent-log.ts';
import type { Random } from './back-off.ts';
import type { AppProber } from './app-probers.ts';
import type { WorkloadProbe } from './health-checker.ts';
import type { ScrapeTarget } from './merged-metrics.ts';

/** Who the workload is. */
export interface AgentWorkload {
  /** Pod name; default `payments-6d5f9`. */
  readonly name?: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Default `default`. */
  readonly serviceAccount?: string;
  /** Default `cluster.local`. */
  readonly trustDomain?: string;
  /** The pod's address, at which its application is probed; default 127.0.0.1. */
  readonly ip?: string;
}

/** Ports of the pod. 0 takes a free one. */
export interface AgentPorts {
  /** The agent's own HTTP, pilot-agent's `statusPort`; default 15020. */
  readonly status?: number;
  /** Envoy's admin API; default 15000. */
  readonly admin?: number;
  /** Envoy's static listener that passes `/healthz/ready` on; default 15021. */
  readonly ready?: number;
  /** Envoy's static listener with its stats; default 15090. */
  readonly prometheus?: number;
}

/** Which Envoy the agent has: one that it starts, one that runs, or none (pilot-agent's DISABLE_ENVOY). */
export type AgentEnvoy =
  | {
      readonly kind: 'start';
      /** What `findEnvoy` is to look for, or one that was found; it has to be a binary. */
      readonly envoy?: string | EnvoyBinary;
      /** Further arguments. */
      readonly args?: readonly string[];
      /** Worker threads; default 1. */
      readonly concurrency?: number;
      readonly env?: NodeJS.ProcessEnv;
    }
  | {
      readonly kind: 'attach';
      /** Its admin API, e.g. `http://127.0.0.1:15000`. */
      readonly adminUrl: string;
    }
  | { readonly kind: 'none' };

/** What a bootstrap for this agent has to name. */
export interface BootstrapPlace {
  readonly ports: Required<AgentPorts>;
  /** Address of the two static listeners. */
  readonly bind: string;
  /** As in the bootstrap: relative to `root`, in which Envoy runs. */
  readonly xdsSocket: string;
  readonly sdsSocket: string;
  readonly root: string;
}

/** How an agent runs. Everything has a default; nothing is read from the environment. */
export interface AgentOptions {
  /** The pod's folder, from which pilot-agent's relative file names count; default: the working directory. */
  readonly root?: string;
  readonly workload?: AgentWorkload;
  /** What the proxy is; default `sidecar`. */
  readonly role?: 'sidecar' | 'router' | 'waypoint';
  /** `host:port` of istiod; default `istiod.istio-system.svc:15012`. */
  readonly discoveryAddress?: string;
  /** `host:port` of the CA; default `discoveryAddress`. */
  readonly caAddress?: string;
  /** The name that istiod's certificate has to hold, instead of the host of `discoveryAddress` (ISTIOD_SAN). */
  readonly istiodSan?: string;
  /** `NONE` speaks plaintext with istiod; default `MUTUAL_TLS`. */
  readonly controlPlaneAuthPolicy?: 'MUTUAL_TLS' | 'NONE';
  /** Root for the xDS connection: a file, or `SYSTEM` (XDS_ROOT_CA). */
  readonly xdsRootCa?: string;
  /** Root for the CA connection: a file, or `SYSTEM` (CA_ROOT_CA). */
  readonly caRootCa?: string;
  /** Folder with `cert-chain.pem`, `key.pem` and `root-cert.pem` to be known by (PROV_CERT). */
  readonly provCert?: string;
  /** The certificate is there as files and no CA is asked (FILE_MOUNTED_CERTS); where they are, if not in `./etc/certs`. */
  readonly fileMountedCerts?: boolean | { readonly chain: string; readonly key: string; readonly root: string };
  /** Folder that gets each certificate, its key and the root (OUTPUT_CERTS). */
  readonly outputCerts?: string;
  /** Header `clusterid`; default `Kubernetes`. */
  readonly clusterId?: string;
  /** Further headers of the xDS stream and of calls to the CA (XDS_HEADER_*, CA_HEADER_*). */
  readonly xdsHeaders?: Readonly<Record<string, string>>;
  readonly caHeaders?: Readonly<Record<string, string>>;
  readonly certSigner?: string;
  /** Lifetime that is asked for; default 24 h (SECRET_TTL). */
  readonly secretTtlMs?: number;
  /** Default 0.5 ± 0.01 (SECRET_GRACE_PERIOD_RATIO, …_JITTER). */
  readonly graceRatio?: number;
  readonly graceRatioJitter?: number;
  /** Default RSA 2048. */
  readonly key?: WorkloadKey;
  /** PKCS #8 instead of the traditional form (PKCS8_KEY). */
  readonly pkcs8?: boolean;
  /** How Envoy speaks xDS in the agent's own bootstrap; default `delta` (ISTIO_DELTA_XDS). */
  readonly variant?: 'sotw' | 'delta';
  /** `pilot-agent` (default): Envoy's own reconnect back-off, up to 30 s; `lab`: at most 0.5 s. */
  readonly shape?: 'pilot-agent' | 'lab';
  /** More node metadata for the agent's own bootstrap. */
  readonly metadata?: JsonObject;
  /** Another bootstrap: made for the place, or the path of a file. Default: one in pilot-agent's shape. */
  readonly bootstrap?: ((place: BootstrapPlace) => Bootstrap) | string;
  readonly envoy?: AgentEnvoy;
  readonly ports?: AgentPorts;
  /** Address of 15020, 15021 and 15090; default 127.0.0.1. (pilot-agent: all.) */
  readonly bind?: string;
  /** Name tables are taken from istiod (ISTIO_META_DNS_CAPTURE); readiness then waits for the first. */
  readonly dnsCapture?: boolean;
  /** Roots are taken from istiod's ProxyConfig (PROXY_CONFIG_XDS_AGENT). */
  readonly proxyConfigXds?: boolean;
  /** File name of the socket that gives out certificates; another one than `socket` has to be there already (SPIRE). */
  readonly workloadSocketFile?: string;
  /** The application's probes by path, as the injector rewrites them (ISTIO_KUBE_APP_PROBERS). */
  readonly appProbers?: Readonly<Record<string, AppProber>>;
  /** The application's metrics, merged into `/stats/prometheus` (ISTIO_PROMETHEUS_ANNOTATIONS). */
  readonly scrape?: readonly ScrapeTarget[];
  /** Health of the workload, told to istiod (`readinessProbe` of the ProxyConfig). */
  readonly readinessProbe?: WorkloadProbe;
  /** How long connections may end by themselves after SIGTERM; default 5 s (`terminationDrainDuration`). */
  readonly terminationDrainMs?: number;
  /** Envoy's `--drain-time-s`; default 45 s. */
  readonly drainMs?: number;
  /** Told each line of the agent's log. */
  readonly onLog?: (line: AgentLogLine) => void;
  /** Told each line of Envoy's log. */
  readonly onEnvoyLog?: (line: string) => void;
  readonly clock?: Clock;
  /** Default `Math.random`. */
  readonly random?: Random;
}
