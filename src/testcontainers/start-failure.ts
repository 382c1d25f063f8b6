import { getContainerRuntimeClient } from 'testcontainers';
import { dockerTrouble } from '../envoy/docker-cli.ts';
import { normaliseSpace, reasonsToExit } from '../envoy/envoy-log.ts';
import { FakeIstiodError, type ErrorCode } from '../errors.ts';
import type { ContainerLog } from './container-log.ts';
import { endOf, type ContainerEnd } from './ended-container.ts';
import type { FailureNote } from './noted-wait.ts';

/** What is known of a container that did not come up. */
export interface Failed {
  readonly name: 'Envoy' | 'fake-istiod';
  readonly image: string;
  /** Undefined if it was not even created. */
  readonly id: string | undefined;
  readonly log: ContainerLog;
  /** What was known when the wait failed, if it came to one. */
  readonly noted: FailureNote | undefined;
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
  const left = await remove(failed);
  // After a wait that failed testcontainers stops the container: that end is not why.
  const end = failed.noted ? failed.noted.end : left;
  const ours = error instanceof FakeIstiodError ? error : undefined;
  const code: ErrorCode = end ? 'container.start-failed' : (ours?.code ?? 'container.start-failed');
  return new FakeIstiodError(code, failureText(failed, end, text), { cause: error });
}

/** All that is to be said of a container that was made and did not come up; `why` is what the wait says, should the container not have ended. */
export function failureText(failed: Omit<Failed, 'id' | 'imageRemedy'>, end: ContainerEnd | undefined, why: string): string {
  const head = `the container of ${failed.name} (${failed.image}) did not come up: ${end ? exitText(failed.name, end) : why}`;
  return [head, logText(failed, end), failed.noted?.events].filter(Boolean).join('\n');
}

/** How it ended, and why in Envoy's own words. */
function exitText(name: Failed['name'], { exitCode, lines }: ContainerEnd): string {
  const reasons = name === 'Envoy' ? reasonsToExit(lines) : [];
  return `it exited with code ${exitCode}${reasons.length > 0 ? `: ${reasons.join(' | ')}` : ''}`;
}

const shownLines = 12;

/** The last lines of the log; Envoy's without the blanks that it scatters through its errors. Undefined if there is none. */
function logText({ name, log, noted }: Pick<Failed, 'name' | 'log' | 'noted'>, end: ContainerEnd | undefined): string | undefined {
  const last = (end?.lines ?? noted?.lines ?? log.lines).slice(-shownLines);
  const shown = name === 'Envoy' ? last.map(normaliseSpace) : last;
  return last.length === 0 ? undefined : [`last lines of ${name}'s log:`, ...shown.map((line) => `  ${line}`)].join('\n');
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

/** Removes a container. Gives how it had ended, if it had. */
async function remove({ id = '' }: Failed): Promise<ContainerEnd | undefined> {
  try {
    const { container: containers } = await getContainerRuntimeClient();
    const container = containers.getById(id);
    const end = await endOf(container);
    await container.remove({ force: true, v: true });
    return end;
  } catch {
    // It is gone already: whoever removed it had the same reason.
    return undefined;
  }
}
