import type { WaitStrategy } from 'testcontainers';

/** What a wait strategy is given of a container. */
export type Container = Parameters<WaitStrategy['waitUntilReady']>[0];

/** What a container that has ended left. */
export interface ContainerEnd {
  readonly exitCode: number;
  /** The last lines that it wrote, oldest first: all of them, also those that a stream would still have brought. */
  readonly lines: readonly string[];
}

const keptLines = 50;

/** How a container ended; undefined if it runs, or is there no more. */
export async function endOf(container: Container): Promise<ContainerEnd | undefined> {
  try {
    const { State: state } = await container.inspect();
    if (state.Running) return undefined;
    const raw = await container.logs({ stdout: true, stderr: true, tail: keptLines });
    return { exitCode: state.ExitCode, lines: withoutFrames(raw) };
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
