import { describe, expect, it } from 'vitest';
import { failureText, startFailure } from '../../src/testcontainers/start-failure.ts';
import { ContainerLog } from '../../src/testcontainers/container-log.ts';

const notCreated = {
  name: 'Envoy' as const,
  image: 'envoyproxy/envoy:v1.40.0',
  id: undefined,
  noted: undefined,
  log: new ContainerLog(() => undefined),
  imageRemedy: 'Pull it',
};

describe('A container that is not even made', () => {
  it('fails with docker.unavailable and what to do, where testcontainers finds no daemon', async () => {
    const cause = new Error('Could not find a working container runtime strategy');
    expect(await startFailure(cause, notCreated)).toMatchObject({
      code: 'docker.unavailable',
      exitCode: 3,
      message: expect.stringMatching(/^no Docker daemon answers: .*\. Start Docker, or point DOCKER_HOST at one that runs/) as string,
      cause,
    });
  });
});

describe('A container that did not come up', () => {
  const log = new ContainerLog(() => undefined);
  log.write('still here\n');
  const reason = "Protobuf message (near   1:13 (offset  12): no   such  field: 'nonsense') has unknown fields";
  const end = { exitCode: 1, lines: ['[2026-11-30 17:16:33.068][1][warning][main] [a.cc:1] a  b', reason] };
  const noted = { lines: ['cut'], events: 'last events:\n  0.1', end };

  it("and ended is told by its exit code, and why in Envoy's words, without the blanks that those have at random", () => {
    expect(failureText({ name: 'Envoy', image: 'e:1', log, noted }, end, 'no answer')).toBe(
      [
        "the container of Envoy (e:1) did not come up: it exited with code 1: Protobuf message (near 1:13 (offset 12): no such field: 'nonsense') has unknown fields",
        "last lines of Envoy's log:",
        '  [2026-11-30 17:16:33.068][1][warning][main] [a.cc:1] a b',
        "  Protobuf message (near 1:13 (offset 12): no such field: 'nonsense') has unknown fields",
        'last events:',
        '  0.1',
      ].join('\n'),
    );
  });

  it('and ran is told by the wait, with the log of when that failed', () => {
    const running = { ...noted, end: undefined };
    expect(failureText({ name: 'Envoy', image: 'e:1', log, noted: running }, undefined, 'no answer')).toBe(
      "the container of Envoy (e:1) did not come up: no answer\nlast lines of Envoy's log:\n  cut\nlast events:\n  0.1",
    );
  });

  it('is shown with our own log as that is, and with what was heard of it if it came to no wait', () => {
    const ours = { exitCode: 2, lines: ['  0.1  ·  up'] };
    expect(failureText({ name: 'fake-istiod', image: 'f:1', log, noted: undefined }, ours, '')).toBe(
      "the container of fake-istiod (f:1) did not come up: it exited with code 2\nlast lines of fake-istiod's log:\n    0.1  ·  up",
    );
    expect(failureText({ name: 'fake-istiod', image: 'f:1', log, noted: undefined }, undefined, 'mute')).toContain('\n  still here');
  });
});
