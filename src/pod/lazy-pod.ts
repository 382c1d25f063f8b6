import { wantsCredentials } from '../script/bootstrap-wish.ts';
import type { ProxyCommand } from '../script/proxy-identity.ts';
import type { BootstrapWish } from '../script/scenario.ts';
import type { CredentialOptions, Pod, PodOptions } from './pod.ts';

/** A pod that is loaded when a scenario first needs it: most need none. */
export class LazyPod {
  private readonly options: PodOptions;
  private pod: Promise<Pod> | undefined;

  constructor(options: PodOptions) {
    this.options = options;
  }

  /** As `Pod.prepare`; costs nothing where there is nothing to make. */
  async prepare(wish: BootstrapWish = {}): Promise<CredentialOptions> {
    return wantsCredentials(wish) ? (await this.load()).prepare(wish) : {};
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
