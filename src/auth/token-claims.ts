import type { AuthPolicy } from './policy.ts';

/** What a service account token says, as far as it counts here. */
export interface TokenClaims {
  readonly audiences: readonly string[];
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** Why a token is not believed; `audiences` where it is meant for somebody else. */
export interface TokenDoubt {
  readonly reason: string;
  readonly audiences?: readonly string[];
}

const subjectForm = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * Checks what a token claims: its time, who issued it, whom it is meant for, and that it is a service account's. `aud` may be a list or a
 * single string, as Kubernetes' TokenReview takes both.
 */
export function checkClaims(payload: Readonly<Record<string, unknown>>, policy: AuthPolicy, now: Date): TokenClaims | TokenDoubt {
  const timely = timeDoubt(payload, policy.clockSkewMs, now);
  if (timely) return { reason: timely };
  if (policy.issuer !== undefined && payload['iss'] !== policy.issuer) {
    return { reason: `the token is issued by ${JSON.stringify(payload['iss'])}, not by ${JSON.stringify(policy.issuer)}` };
  }
  const audiences = audiencesOf(payload['aud']);
  if (!audiences.some((audience) => policy.audiences.includes(audience))) {
    return {
      reason: `token audiences ${JSON.stringify(audiences)} is invalid for the target audiences ${JSON.stringify(policy.audiences)}`,
      audiences,
    };
  }
  const account = serviceAccountOf(payload['sub']);
  return account
    ? { audiences, ...account }
    : { reason: `sub ${JSON.stringify(payload['sub'])} is not system:serviceaccount:<namespace>:<name>` };
}

/** The service account that `sub` names, if it does. */
export function serviceAccountOf(sub: unknown): Pick<TokenClaims, 'namespace' | 'serviceAccount'> | undefined {
  const [, namespace, serviceAccount] = subjectForm.exec(typeof sub === 'string' ? sub : '') ?? [];
  return namespace && serviceAccount ? { namespace, serviceAccount } : undefined;
}

function audiencesOf(aud: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return list.filter((one) => typeof one === 'string');
}

/** Kubernetes demands no more than it finds, but for `exp`: a projected token always has one. */
function timeDoubt({ exp, nbf }: Readonly<Record<string, unknown>>, skewMs: number, now: Date): string | undefined {
  if (typeof exp !== 'number') return 'the token has no expiry (exp)';
  if (now.getTime() - skewMs >= exp * 1000) return 'service account token has expired';
  if (nbf === undefined) return undefined;
  if (typeof nbf !== 'number') return 'nbf is no number';
  return now.getTime() + skewMs < nbf * 1000 ? 'service account token is not valid yet' : undefined;
}
