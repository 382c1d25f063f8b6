import { wantsCredentials } from '../script/bootstrap-wish.ts';
import type { ProxyCommand } from '../script/proxy-identity.ts';
import type { BootstrapWish, Scenario } from '../script/scenario.ts';
import type { CredentialOptions, Pod, PodOptions } from './pod.ts';

/** What the Envoys of a scenario prove themselves with. */
export interface Credentials {
  /** Of the only Envoy, or the first. */
  readonly own: CredentialOptions;
  /** By the names of several Envoys. */
  readonly of: ReadonlyMap<string, CredentialOptions>;
}

/** A pod that is loaded when a scenario first needs it: most need none. */
export class LazyPod {
  private readonly options: PodOptions;
  private pod: Promise<Pod> | undefined;

  constructor(options: PodOptions) {
    this.options = options;
  }

  /** As `Pod.prepare`; costs nothing where there is nothing to make. */
  async prepare(wish: BootstrapWish = {}, envoy?: string): Promise<CredentialOptions> {
    return wantsCredentials(wish) ? (await this.load()).prepare(wish, envoy) : {};
  }

  /** The same for each Envoy of a scenario. */
  async prepareAll(scenario: Pick<Scenario, 'bootstrap' | 'envoys'> | undefined): Promise<Credentials> {
    const { bootstrap = {}, envoys = [] } = scenario ?? {};
    const own = envoys.length > 0 ? {} : await this.prepare(bootstrap);
    const made = new Map<string, CredentialOptions>();
    for (const envoy of envoys) made.set(envoy.name, await this.prepare(envoy.bootstrap, envoy.name));
    return { own: [...made.values()][0] ?? own, of: made };
  }

  /** As `Pod.perform`. */
  async perform(command: ProxyCommand): Promise<void> {
    return (await this.load()).perform(command);
  }

  /** As `Pod.stop`. */
  async stop(): Promise<void> {
    await (await this.pod)?.stop();
  }

  private load(): Promise<Pod> {
    return (this.pod ??= import('./pod.ts').then(({ Pod: Loaded }) => new Loaded(this.options)));
  }
}
