/** What is given out under one name. */
export type Secret =
  { readonly kind: 'certificate'; readonly chain: string; readonly privateKey: string } | { readonly kind: 'root'; readonly root: string };

/** The workload's certificate with its key (istio pkg/security). */
export const workloadSecret = 'default';
/** What other workloads' certificates have to end in. */
export const rootSecret = 'ROOTCA';

/** Files that a secret's name stands for. */
export type SecretFiles =
  { readonly kind: 'certificate'; readonly chain: string; readonly key: string } | { readonly kind: 'root'; readonly root: string };

/** `file-cert:CHAIN~KEY` and `file-root:ROOT`, as istiod names secrets that lie in the pod (istio pkg/security/security.go). */
export function filesInName(name: string): SecretFiles | undefined {
  const [kind, ...rest] = name.split(':');
  const parts = rest.join(':').split('~');
  const [first = '', second = ''] = parts;
  if (kind === 'file-cert' && parts.length === 2 && first && second) return { kind: 'certificate', chain: first, key: second };
  if (kind === 'file-root' && parts.length === 1 && first) return { kind: 'root', root: first };
  return undefined;
}

/** Several bundles of roots as one: each certificate once, in the order of their text, as pilot-agent merges them. */
export function mergedRoots(certificates: readonly string[]): string {
  return [...new Set(certificates)].sort().join('');
}
