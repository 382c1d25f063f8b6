import type { AdminClient } from './admin-client.ts';
import { launchEnvoy } from './launch.ts';
import type { LaunchedEnvoy, LaunchEnvoyOptions } from './launch.ts';

export type StartEnvoyOptions = LaunchEnvoyOptions;

/** An Envoy that runs and whose admin API answers. */
export interface EnvoyProcess extends Omit<LaunchedEnvoy, 'nodeId' | 'startup'> {
  /** `node.id`, as Envoy itself says. */
  readonly nodeId: string;
  readonly admin: AdminClient;
}

/**
 * Starts a real Envoy and waits until its admin API answers, whatever its state then is. Errors: `envoy.exited` with Envoy's own
 * words where it ends at once, `envoy.start-failed` where it stays mute, and those of {@link launchEnvoy}.
 */
export async function startEnvoy(options: StartEnvoyOptions): Promise<EnvoyProcess> {
  const launched = await launchEnvoy(options);
  const startup = await launched.startup;
  if (startup.kind !== 'started') {
    await launched.stop();
    throw startup.error;
  }
  const { admin, nodeId } = startup;
  return {
    admin,
    nodeId,
    pid: launched.pid,
    version: launched.version,
    log: launched.log,
    exited: launched.exited,
    get exit() {
      return launched.exit;
    },
    stop: launched.stop,
    [Symbol.asyncDispose]: launched.stop,
  };
}
