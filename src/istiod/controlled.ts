import type { Clock } from '../clock.ts';
import type { ControlOptions } from '../control/control-server.ts';
import type { FakeIstiod } from '../fake-istiod.ts';

/** What the control API shares with the server. */
interface Shared {
  readonly clock: Clock;
  readonly maxInputBytes?: number | undefined;
}

/** The server with its control API, which ends after it: what happens until then can still be watched. Error as `startControlServer`. */
export async function controlled(istiod: FakeIstiod, options: ControlOptions, { clock, maxInputBytes }: Shared): Promise<FakeIstiod> {
  const { startControlServer } = await import('../control/control-server.ts');
  const more = maxInputBytes === undefined ? {} : { maxInputBytes };
  const server = await startControlServer(istiod, { ...options, ...more, clock }).catch(async (error: unknown) => {
    await istiod.stop();
    throw error;
  });
  const stopPlane = istiod.stop;
  const stop = async (): Promise<void> => {
    await stopPlane();
    await server.stop();
  };
  const { url, token } = server;
  return Object.defineProperties(istiod, {
    control: { value: Object.freeze({ url, token }), enumerable: true },
    stop: { value: stop, enumerable: true },
    [Symbol.asyncDispose]: { value: stop },
  });
}
