import type { DocumentPath } from '../protobuf/document.ts';
import type { IgnoredCluster, MeshCluster } from '../services/mesh.ts';
import { ownCluster } from '../services/proxy-view.ts';
import type { Findings } from './findings.ts';
import { wordRemedy } from './nearest.ts';
import type { MeshForm } from './schema-services.ts';

/** A cluster that istiod reads, and the network of what runs there. */
interface HomeCluster {
  readonly id: string;
  readonly network?: string | undefined;
}

/**
 * The clusters that istiod is told of: its own first, each other one by a remote secret. Of two with one id the first is read and the
 * second is ignored (istio pkg/kube/multicluster/secretcontroller.go:addRemoteConfig).
 */
export class KnownClusters {
  readonly kept: MeshCluster[] = [];
  readonly ignored: IgnoredCluster[] = [];
  private readonly written: NonNullable<MeshForm['clusters']>;
  private readonly findings: Findings;

  constructor({ clusters = [] }: MeshForm, findings: Findings) {
    this.written = clusters;
    this.findings = findings;
    for (const [i, { name, id = name }] of clusters.entries()) {
      if (clusters.findIndex((other) => other.name === name) < i)
        findings.report(
          ['mesh', 'clusters', i, 'name'],
          `two clusters have the name ${JSON.stringify(name)}`,
          'Rename one; two may have one id',
        );
      const taken = this.kept.findIndex((other) => other.id === id);
      if (taken === -1) this.kept.push({ name, id });
      else this.ignored.push({ name, id, text: ignoredText(taken === 0, name, id) });
    }
  }

  /** Where something of the cluster of that name runs; undefined if istiod ignores it. Without a name: istiod's own cluster. */
  find(name: string | undefined, path: DocumentPath): HomeCluster | undefined {
    if (this.written.length === 0) return { id: name ?? ownCluster };
    const found = name === undefined ? this.written[0] : this.written.find((cluster) => cluster.name === name);
    if (!found) {
      const names = this.written.map((cluster) => cluster.name);
      this.findings.report(path, `no cluster of mesh.clusters has the name ${JSON.stringify(name)}`, wordRemedy(name ?? '', names));
      return undefined;
    }
    if (this.ignored.some((cluster) => cluster.name === found.name)) return undefined;
    return { id: found.id ?? found.name, network: found.network };
  }
}

/** As istiod logs it: at info for its own id, as a warning for that of another remote cluster. */
function ignoredText(isOwn: boolean, name: string, id: string): string {
  const facts = `cluster=${id} config=istio-system/istio-remote-secret-${name}`;
  return isOwn ? `ignoring cluster as it would overwrite the config cluster ${facts}` : `cluster has already been registered ${facts}`;
}
