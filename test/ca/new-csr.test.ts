import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/ca/authority.ts';
import { makeCsr } from '../../src/ca/new-csr.ts';
import { manualClock } from '../clock.ts';
import { openssl } from './openssl.ts';

const identity = { trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'web' };

describe('a request that we make', () => {
  it('is one to openssl, with an empty organisation and the identity', async () => {
    const text = await openssl({ csr: await makeCsr(identity) }, 'req -in csr -noout -text -verify');
    expect(text).toMatch(/Subject: O ?= ?\n/);
    expect(text).toMatch(/Subject Alternative Name: critical\s+URI:spiffe:\/\/cluster\.local\/ns\/shop\/sa\/web/);
    expect(text).toContain('prime256v1');
  });

  it('is signed by an authority', async () => {
    const authority = createAuthority({ clock: manualClock(new Date()) });
    expect((await authority.sign(await makeCsr(identity), identity)).chain).toHaveLength(2);
  });
});
