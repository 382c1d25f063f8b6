import { generateKeyPairSync } from 'node:crypto';
import { mintToken, type TokenWish } from '../auth/token.ts';
import { tokenKeyOf, type TokenKey } from '../ca/token-key.ts';
import type { Clock } from '../clock.ts';
import type { ProxyToken } from '../script/proxy-identity.ts';

/** A token and when it ends. */
export interface MadeToken {
  readonly text: string;
  readonly audiences: readonly string[];
  readonly notAfter: Date;
}

const hourMs = 3_600_000;

/**
 * The token that a scenario wants for its proxy.
 *
 * @param signed makes one that the server should believe
 */
export async function makeProxyToken(wish: ProxyToken, signed: (wish: TokenWish) => Promise<string>, clock: Clock): Promise<MadeToken> {
  const { audiences = ['istio-ca'], issuer, ttlMs = hourMs, expired, signedBy = 'pki', namespace, serviceAccount } = wish;
  const notBefore = new Date(clock.date().getTime() - (expired ? 2 * hourMs : 0));
  const token: TokenWish = {
    audiences,
    namespace: namespace ?? 'default',
    serviceAccount: serviceAccount ?? 'default',
    ttlMs,
    notBefore,
    ...(issuer === undefined ? {} : { issuer }),
  };
  const text = await (signedBy === 'pki' ? signed(token) : mintToken(signedBy === 'nobody' ? undefined : strangersKey(), token, clock));
  return { text, audiences, notAfter: new Date(notBefore.getTime() + ttlMs) };
}

function strangersKey(): TokenKey {
  return tokenKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey) as TokenKey;
}
