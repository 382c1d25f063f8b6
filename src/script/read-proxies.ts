import type { DocumentPath } from '../protobuf/document.ts';
import { durationMs } from './duration.ts';
import type { Findings } from './findings.ts';
import { wordRemedy } from './nearest.ts';
import { readProxyIdentity } from './read-identity.ts';
import type { BootstrapWish, NodeWish, ScenarioEnvoy } from './scenario.ts';
import type { BootstrapForm, EnvoyEntryForm, NodeWishForm } from './schema-envoys.ts';

/** What is wished of a bootstrap. */
export function readBootstrap(written: BootstrapForm, path: DocumentPath, findings: Findings): BootstrapWish {
  const { node, fetch_timeout, ads_cluster, istiods, merge } = written;
  if (istiods) checkIstiods(istiods, [...path, 'istiods'], findings);
  return {
    ...(node === undefined ? {} : { node: readNode(node) }),
    ...(istiods === undefined ? {} : { istiods }),
    ...readProxyIdentity(written, path, findings),
    ...(fetch_timeout === undefined ? {} : { fetchTimeoutMs: durationMs(fetch_timeout) ?? 0 }),
    ...(ads_cluster === undefined ? {} : { adsCluster: ads_cluster }),
    ...(merge === undefined ? {} : { merge }),
  };
}

function checkIstiods(names: readonly string[], path: DocumentPath, findings: Findings): void {
  if (names.length === 0) findings.report(path, 'an Envoy that asks no istiod', 'Name one, or leave istiods out');
  for (const [i, name] of names.entries()) {
    if (!findings.istiods.includes(name)) reportIstiod(name, [...path, i], findings);
    else if (names.indexOf(name) < i) findings.report([...path, i], `${name} is there twice`, 'Remove one');
  }
}

/** Reports a name that no istiod has. */
export function reportIstiod(name: string, path: DocumentPath, findings: Findings): void {
  const { istiods } = findings;
  if (istiods.length > 0) findings.report(path, `no istiod has the name ${JSON.stringify(name)}`, wordRemedy(name, istiods));
  else findings.report(path, `found ${JSON.stringify(name)}, and there are no istiods with names`, 'Write istiods, or leave the name out');
}

function readNode(written: NodeWishForm): NodeWish {
  const { id, ip, name, namespace, workload, cluster_id, network, locality, labels, metadata } = written;
  const [region, zone, subZone] = (locality ?? '').split('/');
  const all = { ...(labels ? { LABELS: labels } : {}), ...metadata };
  return {
    ...(id === undefined ? {} : { id }),
    ...(ip === undefined ? {} : { ip }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(workload === undefined ? {} : { workloadName: workload }),
    ...(cluster_id === undefined ? {} : { clusterId: cluster_id }),
    ...(network === undefined ? {} : { network }),
    ...(locality === undefined
      ? {}
      : { locality: { ...(region ? { region } : {}), ...(zone ? { zone } : {}), ...(subZone ? { subZone } : {}) } }),
    ...(Object.keys(all).length > 0 ? { metadata: all } : {}),
  };
}

/** Names are parts of paths and moments. */
const nameForm = /^[A-Za-z][A-Za-z0-9-]*$/;

/** Reports names that are none, or are taken. `what` is what they name: `Envoys`. */
export function checkNames(names: readonly string[], path: DocumentPath, what: string, findings: Findings): void {
  for (const [i, name] of names.entries()) {
    const place = [...path, i, 'name'];
    if (!nameForm.test(name))
      findings.report(place, `found ${JSON.stringify(name)}, expected a letter, then letters, digits and dashes`, 'Write it like east');
    else if (names.indexOf(name) < i) findings.report(place, `two ${what} have the name ${JSON.stringify(name)}`, 'Rename one');
  }
}

/** Several Envoys, with the wishes of the scenario beneath their own. */
export function readEnvoys(written: readonly EnvoyEntryForm[], base: BootstrapWish, findings: Findings): readonly ScenarioEnvoy[] {
  const path: DocumentPath = ['envoys'];
  if (written.length === 0) findings.report(path, 'a run without an Envoy', 'Write one entry at least, or leave envoys out');
  checkNames(
    written.map(({ name }) => name),
    path,
    'Envoys',
    findings,
  );
  return written.map((entry, i) => {
    const { name, args = [], ...own } = entry;
    const wish = over(base, readBootstrap(own, [...path, i], findings));
    const node = completed(wish.node ?? {}, name, i);
    const merged = (wish.merge?.['node'] as { readonly id?: unknown } | null | undefined)?.id;
    return { name, nodeId: typeof merged === 'string' ? merged : node.id, bootstrap: { ...wish, node }, args };
  });
}

/** A pod of its own for each Envoy that does not say which it is. */
function completed(wish: NodeWish, envoy: string, index: number): NodeWish & { readonly id: string } {
  const { name = envoy, namespace = 'default', ip = `10.0.${Math.floor((index + 1) / 250)}.${((index + 1) % 250) + 1}` } = wish;
  return {
    workloadName: envoy,
    ...wish,
    name,
    namespace,
    ip,
    id: wish.id ?? `sidecar~${ip}~${name}.${namespace}~${namespace}.svc.cluster.local`,
  };
}

/** The token of one takes the place of the token file of the other. */
function over(base: BootstrapWish, own: BootstrapWish): BootstrapWish {
  const { token, tokenFile, ...rest } = base;
  const kept = own.token || own.tokenFile ? {} : { ...(token ? { token } : {}), ...(tokenFile ? { tokenFile } : {}) };
  const node = base.node || own.node ? { node: { ...base.node, ...own.node, ...metadataOf(base.node, own.node) } } : {};
  const merge = base.merge && own.merge ? { merge: laidOver(base.merge, own.merge) } : {};
  return { ...rest, ...kept, ...own, ...node, ...merge };
}

function metadataOf(base: NodeWish | undefined, own: NodeWish | undefined): Pick<NodeWish, 'metadata'> {
  return base?.metadata && own?.metadata ? { metadata: { ...base.metadata, ...own.metadata } } : {};
}

type Patch = Readonly<Record<string, unknown>>;

function isPatch(value: unknown): value is Patch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One merge patch that does what both do, one after the other. */
function laidOver(base: Patch, own: Patch): Patch {
  const both = Object.entries(own).map(([key, value]) => [key, isPatch(value) && isPatch(base[key]) ? laidOver(base[key], value) : value]);
  return { ...base, ...Object.fromEntries(both) };
}
