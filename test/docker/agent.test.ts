import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { composed, dockerMissing, said } from './composed.ts';

let missing: string | undefined;
beforeAll(async () => {
  missing = await dockerMissing(true);
});
beforeEach(({ skip }) => {
  if (missing) skip(missing);
});

const upToVerdict = ['up', '--exit-code-from', 'agent-verdict', '--timeout', '2', 'agent-verdict'];
/** Published ports; 0 is any that is free. */
const ports = { AGENT_STATUS_PORT: '0', AGENT_READY_PORT: '0', WRONG_STATUS_PORT: '0', WRONG_READY_PORT: '0' };

describe('docker compose, profile agent', () => {
  it.each(['true', 'false'])('has a pod that is ready and one that is not until its token is right (ISTIO_DELTA_XDS=%s)', async (delta) => {
    const result = await composed('agent', { ...ports, AGENT_DELTA_XDS: delta }).run(upToVerdict);
    expect(said(result)).toContain('✓ agent: 15020 200, 15021 200');
    expect(said(result)).toContain('✓ agent-wrong: 15020 503, 15021 refused');
    expect(said(result)).toContain('✓ agent-wrong: 15020 200, 15021 200');
    expect(result.code).toBe(0);
  });

  it('ends with 1 and what was seen where the second pod is ready from the start', async () => {
    const result = await composed('agent', { ...ports, WRONG_AUDIENCE: 'istio-ca', WITHIN_MS: '8000' }).run(upToVerdict);
    expect(said(result)).toContain('✗ agent-wrong: 15020 200, 15021 200, and not 15020 503, 15021 refused');
    expect(result.code).toBe(1);
  });
});
