import { describe, expect, it } from 'vitest';
import { startFailure } from '../../src/testcontainers/start-failure.ts';
import { ContainerLog } from '../../src/testcontainers/container-log.ts';

const notCreated = {
  name: 'Envoy',
  image: 'envoyproxy/envoy:v1.40.0',
  id: undefined,
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
