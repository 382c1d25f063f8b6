import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/protobuf/document.ts';
import { compareClusters } from '../../src/sidecar/cluster-comparison.ts';
import { distinctIdentities, identityOfBootstrap, identityOfWorkload, type ClusterIdentity } from '../../src/sidecar/cluster-identity.ts';
import { pickWorkload } from '../../src/sidecar/pick-workload.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { manifestText } from './manifest-text.ts';

const node = (metadata: object, id = 'sidecar~10.0.0.7~a.b~b.svc.cluster.local'): ClusterIdentity => {
  const identity = identityOfBootstrap(readDocument({ name: 'b.json', bytes: Buffer.from(JSON.stringify({ node: { id, metadata } })) }));
  if (!identity) throw new Error('no node');
  return identity;
};

describe('two proxies and one istiod', () => {
  it.each([
    ['the same CLUSTER_ID', { CLUSTER_ID: 'east' }, { CLUSTER_ID: 'east' }, false, 'CLUSTER_ID is the same, east: to istiod'],
    ["Istio's default in both", { CLUSTER_ID: 'Kubernetes' }, { CLUSTER_ID: 'Kubernetes' }, false, "Kubernetes (Istio's default"],
    ['other CLUSTER_IDs', { CLUSTER_ID: 'east' }, { CLUSTER_ID: 'west' }, true, 'CLUSTER_ID differs (east, west)'],
    ['no CLUSTER_ID in one', { CLUSTER_ID: 'east' }, {}, false, 'CLUSTER_ID is missing in node sidecar~'],
    [
      'an empty CLUSTER_ID',
      { CLUSTER_ID: 'east' },
      { CLUSTER_ID: '' },
      false,
      'istiod takes that for its own cluster, which may be east as well',
    ],
    ['networks only', { CLUSTER_ID: 'x', NETWORK: 'n1' }, { CLUSTER_ID: 'x', NETWORK: 'n2' }, false, 'CLUSTER_ID is the same'],
  ])('are told apart, or not, by %s', (_, a, b, distinguishable, words) => {
    const comparison = compareClusters(node(a), node(b));
    expect(comparison.distinguishable).toBe(distinguishable);
    expect(comparison.findings[0]).toContain(words);
  });

  it('reach each other as their networks say', () => {
    const findings = (a?: string, b?: string): string => {
      const of = (network: string | undefined): ClusterIdentity => node({ CLUSTER_ID: 'x', ...(network ? { NETWORK: network } : {}) });
      return compareClusters(of(a), of(b)).findings.find((finding) => finding.startsWith('NETWORK')) ?? '';
    };
    expect(findings()).toContain('set in neither');
    expect(findings('n', 'n')).toContain('NETWORK is the same, n');
    expect(findings('n', 'm')).toContain('through its east-west gateway');
    expect(findings('n')).toContain('set in one only (n)');
  });

  it('with one address get pushes that are meant for the other', () => {
    expect(compareClusters(node({ CLUSTER_ID: 'x' }), node({ CLUSTER_ID: 'x' })).findings[0]).toContain('both have the address 10.0.0.7');
  });

  it('tell of other meshes and trust domains', () => {
    const { findings } = compareClusters(node({ MESH_ID: 'a', TRUST_DOMAIN: 't' }), node({ MESH_ID: 'b', TRUST_DOMAIN: 'u' }));
    expect(findings.join('\n')).toMatch(/MESH_ID differs \(a, b\)[\s\S]*TRUST_DOMAIN differs \(t, u\)/);
  });

  it('are read from manifests, bootstraps and config dumps alike', () => {
    const workload = pickWorkload(readManifest({ name: 'm.yaml', bytes: Buffer.from(manifestText()) }));
    expect(identityOfWorkload(workload)).toMatchObject({ subject: 'Deployment shop/payments', clusterId: 'east', at: { line: 26 } });
    const dump = { configs: [{}, { bootstrap: { node: { id: 'n', metadata: { CLUSTER_ID: 'west' } } } }] };
    expect(identityOfBootstrap(readDocument({ name: 'd', bytes: Buffer.from(JSON.stringify(dump)) }))).toMatchObject({ clusterId: 'west' });
    expect(identityOfBootstrap(readDocument({ name: 'd', bytes: Buffer.from('{"a":1}') }))).toBeUndefined();
  });

  it('count once if they are of one kind', () => {
    expect(distinctIdentities([node({ CLUSTER_ID: 'a' }), node({ CLUSTER_ID: 'a' }), node({ CLUSTER_ID: 'b' })])).toHaveLength(2);
  });
});
