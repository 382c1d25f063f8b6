import { getContainerRuntimeClient } from 'testcontainers';
import { dockerTrouble } from '../envoy/docker-cli.ts';
import { FakeIstiodError, type ErrorCode } from '../errors.ts';
import type { ContainerLog } from './container-log.ts';

/** What is known of a container that did not come up. */
export interface Failed {
  /** `Envoy`, `fake-istiod`. */
  readonly name: string;
  readonly image: string;
  /** Undefined if it was not even created. */
  readonly id: string | undefined;
  readonly log: ContainerLog;
  /** What was known when the wait failed: the end of the log, the last events. */
  readonly noted?: string | undefined;
  /** How to get the image. */
  readonly imageRemedy: string;
}

/**
 * One clear error out of whatever the start of a container failed with: no daemon, no image, or what the container did instead, with the end of
 * its log and of the timeline. The container is removed.
 */
export async function startFailure(error: unknown, failed: Failed): Promise<FakeIstiodError> {
  const message = error instanceof Error ? error.message : String(error);
  // The log is told in our own way.
  const text = message.replace(/, last \d+ logs:[^]*$/, '');
  if (failed.id === undefined) return notCreated(text, error, failed);
  const exit = await remove(failed);
  const ours = error instanceof FakeIstiodError ? error : undefined;
  const ended = exit === undefined ? undefined : `it ended with exit code ${exit}`;
  const why = ours && ours.code !== 'wait.timed-out' ? text : (ended ?? text);
  const code: ErrorCode = exit !== undefined ? 'container.start-failed' : (ours?.code ?? 'container.start-failed');
  const head = `the container of ${failed.name} (${failed.image}) did not come up: ${why}`;
  const known = failed.noted ?? failed.log.text(failed.name);
  return new FakeIstiodError(code, [head, known].filter(Boolean).join('\n'), { cause: error });
}

async function notCreated(text: string, cause: unknown, { name, image, imageRemedy }: Failed): Promise<FakeIstiodError> {
  if (cause instanceof FakeIstiodError) return cause;
  const trouble = /container runtime/i.test(text) ? text : await dockerTrouble(process.env);
  if (trouble !== undefined) {
    return new FakeIstiodError('docker.unavailable', `no Docker daemon answers: ${trouble}`, {
      remedy: 'Start Docker, or point DOCKER_HOST at one that runs',
      cause,
    });
  }
  if (/no such image|not found|pull access denied|manifest|pull|registry|lookup|connect|denied/i.test(text)) {
    const message = `the image ${image} for ${name} is not on this machine, and cannot be fetched: ${text.trim()}`;
    return new FakeIstiodError('image.not-found', message, { remedy: imageRemedy, cause });
  }
  return new FakeIstiodError('container.start-failed', `the container of ${name} (${image}) cannot be made: ${text}`, { cause });
}

/** Takes what the container said, unless that is known, and removes it. Gives its exit code if it has ended. */
async function remove({ id = '', log }: Failed): Promise<number | undefined> {
  try {
    const { container: containers } = await getContainerRuntimeClient();
    const container = containers.getById(id);
    const { State: state } = await container.inspect();
    if (log.lines.length === 0) {
      const raw = await container.logs({ stdout: true, stderr: true, tail: 50 });
      for (const line of withoutFrames(raw)) log.write(`${line}\n`);
    }
    await container.remove({ force: true, v: true });
    return state.Running ? undefined : state.ExitCode;
  } catch {
    // It is gone already: whoever removed it had the same reason.
    return undefined;
  }
}

/** Docker puts eight bytes before each piece of output: the stream, three zeros, the length (Engine API, "Attach to a container"). */
function withoutFrames(raw: Buffer): readonly string[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= raw.length;) {
    const length = raw.readUInt32BE(at + 4);
    pieces.push(raw.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(pieces).toString().split('\n').filter(Boolean);
}
