import { formatSpiffeId } from '../ca/spiffe-id.ts';
import type { Caller } from './caller.ts';

/** What the first request says of the proxy. */
export interface ClaimedNode {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Whether the caller may be this proxy: its namespace and service account must be those of the node's metadata, as far as that names
 * any (istio pilot/pkg/xds/auth.go:checkConnectionIdentity). Returns istiod's text if not.
 */
export function identityMismatch({ identity }: Caller, node: ClaimedNode): string | undefined {
  const namespace = text(node.metadata['NAMESPACE']) || namespaceOfDomain(node.id);
  const serviceAccount = text(node.metadata['SERVICE_ACCOUNT']);
  const fits = (!namespace || namespace === identity.namespace) && (!serviceAccount || serviceAccount === identity.serviceAccount);
  return fits ? undefined : `authorization failed: no identities ([${formatSpiffeId(identity)}]) matched ${namespace}/${serviceAccount}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** `default` of `…~default.svc.cluster.local`, where the metadata names no namespace. */
function namespaceOfDomain(id: string): string {
  const domain = id.split('~')[3] ?? '';
  return domain.includes('.') ? (domain.split('.')[0] ?? '') : '';
}
