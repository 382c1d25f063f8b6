import type { Json } from '../envoy/json.ts';
import type { DocumentPath } from '../protobuf/document.ts';
import { optional } from './pod-template.ts';
import type { PodTemplate, ProxyContainer } from './workload.ts';
import type { CaVolume, TokenVolume, WorkloadIdentity } from './workload-identity.ts';
import { listAt, textAt, valueAt } from './written-value.ts';

/** Where pilot-agent looks. @see facts in docs/identity.md; istio pkg/config/constants */
const places = {
  token: '/var/run/secrets/tokens',
  ca: '/var/run/secrets/istio',
  socket: '/var/run/secrets/workload-spiffe-uds',
  certs: ['/etc/certs', '/var/run/secrets/workload-spiffe-credentials'],
} as const;

interface Volume {
  readonly name: string;
  readonly value: Json;
  readonly path: DocumentPath;
  readonly mountPath: string | undefined;
}

/** What a pod's volumes say of how the proxy proves itself and knows istiod. */
export function readIdentity(pod: PodTemplate, { mounts }: ProxyContainer): WorkloadIdentity {
  const volumes = listAt(pod.spec, 'volumes').map((value, i): Volume => {
    const name = textAt(value, 'name') ?? '';
    const mountPath = mounts.find(({ volume }) => volume === name)?.mountPath.replace(/(.)\/$/, '$1');
    return { name, value, path: [...pod.path, 'spec', 'volumes', i], mountPath };
  });
  return {
    ...optional('token', tokenOf(volumes)),
    ...optional('ca', caOf(volumes)),
    ...optional('certSecret', certSecretOf(volumes)),
    ...optional('workloadSocket', socketOf(volumes)),
  };
}

/** Of several tokens the one that lies where pilot-agent looks; never the API server's own. */
function tokenOf(volumes: readonly Volume[]): TokenVolume | undefined {
  const tokens = volumes.flatMap((volume) =>
    listAt(volume.value, 'projected', 'sources').flatMap((source, i): readonly TokenVolume[] => {
      const token = valueAt(source, 'serviceAccountToken');
      if (token === undefined || volume.mountPath?.endsWith('/kubernetes.io/serviceaccount')) return [];
      return [
        {
          volume: volume.name,
          ...optional('audience', textAt(token, 'audience')),
          expirationSeconds: Number(textAt(token, 'expirationSeconds') ?? 3600),
          file: textAt(token, 'path') ?? '',
          ...optional('mountPath', volume.mountPath),
          path: [...volume.path, 'projected', 'sources', i, 'serviceAccountToken'],
        },
      ];
    }),
  );
  const own = tokens.filter(({ mountPath, volume }) => mountPath !== undefined || volume === 'istio-token');
  return own.find(({ mountPath }) => mountPath === places.token) ?? own.find(({ volume }) => volume === 'istio-token') ?? own[0];
}

function caOf(volumes: readonly Volume[]): CaVolume | undefined {
  const volume = volumes.find(({ mountPath }) => mountPath === places.ca) ?? volumes.find(({ name }) => name === 'istiod-ca-cert');
  if (!volume) return undefined;
  const found = caSource(volume.value) ?? listAt(volume.value, 'projected', 'sources').map(caSource).find(Boolean);
  if (!found) return undefined;
  return { volume: volume.name, ...found, ...optional('mountPath', volume.mountPath), path: volume.path };
}

function caSource(source: Json): Pick<CaVolume, 'object' | 'source'> | undefined {
  const configMap = textAt(source, 'configMap', 'name');
  if (configMap !== undefined) return { source: 'configMap', object: configMap };
  const secret = textAt(source, 'secret', 'secretName') ?? textAt(source, 'secret', 'name');
  if (secret !== undefined) return { source: 'secret', object: secret };
  const bundle = textAt(source, 'clusterTrustBundle', 'name') ?? textAt(source, 'clusterTrustBundle', 'signerName');
  return bundle === undefined ? undefined : { source: 'clusterTrustBundle', object: bundle };
}

function certSecretOf(volumes: readonly Volume[]): WorkloadIdentity['certSecret'] {
  for (const { name, value, mountPath } of volumes) {
    const secret = textAt(value, 'secret', 'secretName') ?? textAt(value, 'csi', 'driver');
    const isPlace = places.certs.some((place) => place === mountPath) || name === 'istio-certs';
    if (secret !== undefined && isPlace) return { volume: name, secret, ...optional('mountPath', mountPath) };
  }
  return undefined;
}

function socketOf(volumes: readonly Volume[]): WorkloadIdentity['workloadSocket'] {
  const volume = volumes.find(({ mountPath }) => mountPath === places.socket);
  if (!volume?.mountPath) return undefined;
  const driver = textAt(volume.value, 'csi', 'driver') ?? textAt(volume.value, 'hostPath', 'path');
  const kind = Object.keys(Object(volume.value) as object).find((key) => key !== 'name') ?? 'emptyDir';
  return { volume: volume.name, source: driver === undefined ? kind : `${kind}:${driver}`, mountPath: volume.mountPath };
}
