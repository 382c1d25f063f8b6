import type { FakeIstiodError } from '../../src/errors.ts';
import type { AckedOptions, Push } from '../../src/session/push.ts';
import type { PortClient, Stage } from './stage.ts';

/** How a wait stands once what happened so far has sunk in: `acked`, `waiting`, or the error. */
export async function outcomeOf(wait: Promise<void>): Promise<string> {
  const outcome = wait.then(
    () => 'acked',
    (error: FakeIstiodError) => `${error.code}: ${error.message}`,
  );
  const soon = Promise.resolve()
    .then(() => undefined)
    .then(() => undefined)
    .then(() => undefined)
    .then(() => 'waiting');
  return Promise.race([outcome, soon]);
}

/** Asks for a type and accepts the answer. */
export function settle(client: PortClient, type: 'CDS' | 'EDS' | 'LDS', names: readonly string[] = []): void {
  client.ask(type, names);
  client.answer(type);
}

/** A wait whose end by the clock is awaited. */
export async function timedOut(stage: Stage, push: Push, options: AckedOptions = {}): Promise<string> {
  const outcome = push.acked(options).then(
    () => 'acked',
    (error: FakeIstiodError) => `${error.code}: ${error.message}`,
  );
  await Promise.resolve();
  stage.clock.advance(10_000);
  return outcome;
}
