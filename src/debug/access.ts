import type { KnownCaller } from './face.ts';

/** istiod's own namespace: who is of it sees everything. */
export const systemNamespace = 'istio-system';

/** What callers of other namespaces may ask for, of their own proxies (istio debuggen.go:activeNamespaceDebuggers). */
const openToAll: ReadonlySet<string> = new Set(['config_dump', 'ndsz', 'edsz']);

/** True if a caller may ask for this path. */
export function mayAsk(caller: KnownCaller | undefined, path: string): boolean {
  return caller === undefined || caller.namespace === systemNamespace || openToAll.has(path);
}

/** The namespace whose proxies alone a caller sees; undefined: all. */
export function seenNamespace(caller: KnownCaller | undefined): string | undefined {
  return caller === undefined || caller.namespace === systemNamespace ? undefined : caller.namespace;
}
