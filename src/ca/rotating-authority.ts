import type { Authority } from './authority.ts';

/** An authority whose root can be replaced while it is in use. */
export interface RotatingAuthority extends Authority {
  /** All that is signed from now on is signed by a new root. */
  rotate(): void;
  /** Roots that signed before, oldest first, as PEM. */
  formerRootPems(): Promise<readonly string[]>;
}

/** Begins with `first`; `next` makes the one that follows. */
export function rotatingAuthority(first: Authority, next: () => Authority): RotatingAuthority {
  const former: Authority[] = [];
  let current = first;
  return {
    trustDomain: first.trustDomain,
    rootPem: () => current.rootPem(),
    chainPem: () => current.chainPem(),
    sign: (csrPem, identity, validitySeconds) => current.sign(csrPem, identity, validitySeconds),
    issue: (identity, options) => current.issue(identity, options),
    serverCertificate: (wish) => current.serverCertificate(wish),
    rotate() {
      former.push(current);
      current = next();
    },
    formerRootPems: () => Promise.all(former.map((authority) => authority.rootPem())),
  };
}
