import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Variant } from '../protocol/request.ts';
import type { ByteMethod } from '../wire/grpc-server.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { CarriedStream, type OwnTypes } from './carried-stream.ts';
import type { IstiodConnection } from './istiod-connection.ts';

export interface XdsCarrierOptions {
  readonly connection: IstiodConnection;
  /** Types whose responses are for the agent and not for Envoy. */
  readonly own: OwnTypes;
  readonly log: AgentLog;
  readonly metrics: AgentMetrics;
}

/** Whether the workload is healthy, or why it is not. */
export type WorkloadHealth = { readonly healthy: true } | { readonly healthy: false; readonly why: string };

const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
const methods: readonly (readonly [string, Variant])[] = [
  ['StreamAggregatedResources', 'sotw'],
  ['DeltaAggregatedResources', 'delta'],
];

/**
 * Carries Envoy's xDS to istiod (istio pkg/istio-agent/xds_proxy.go): one connection per stream, messages as they are, and the end of the
 * one side is the end of the other. It never tries again by itself; Envoy does.
 */
export class XdsCarrier {
  readonly #options: XdsCarrierOptions;
  #current: CarriedStream | undefined;
  #health: WorkloadHealth | undefined;
  #count = 0;

  constructor(options: XdsCarrierOptions) {
    this.#options = options;
  }

  /** What is served, for a server of bytes. */
  get methods(): readonly ByteMethod[] {
    return methods.map(([name, variant]) => ({
      path: `${service}/${name}`,
      handle: (call) => this.#open(`${service}/${name}`, variant, call),
    }));
  }

  /** Tells istiod, now and at the beginning of each further stream. */
  tellHealth(health: WorkloadHealth): void {
    this.#health = health;
    this.#current?.tellHealth(health);
  }

  #open(path: string, variant: Variant, call: ServerDuplexStream<Buffer, Buffer>): void {
    if (this.#current) {
      this.#options.log('warn', 'xdsproxy', 'registered overlapping stream; closing previous');
      this.#current.close();
    }
    const words = variant === 'delta' ? 'accepted delta xds connection from envoy' : 'accepted XDS connection from Envoy';
    this.#options.log('debug', 'xdsproxy', `${words}, forwarding to upstream`);
    const stream = new CarriedStream({
      ...this.#options,
      id: ++this.#count,
      path,
      variant,
      call,
      health: () => this.#health,
      onOver: () => {
        if (this.#current === stream) this.#current = undefined;
      },
    });
    this.#current = stream;
    void stream.run();
  }
}
