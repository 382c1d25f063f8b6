/** A manifest of our own, as small as one can be that has all that is read; parts can be changed. */
export interface ManifestParts {
  readonly kind?: string;
  readonly name?: string;
  readonly annotations?: string;
  readonly labels?: string;
  readonly args?: string;
  /** More entries of `env`, each a line of flow YAML. */
  readonly env?: readonly string[];
  readonly audience?: string;
  /** More lines of the pod's spec. */
  readonly spec?: string;
}

/** A Deployment after injection by a current release. */
export function manifestText(parts: ManifestParts = {}): string {
  const { kind = 'Deployment', name = 'payments', annotations = '{}', labels = '{ app: payments }', env = [], spec = '' } = parts;
  const {
    args = '[proxy, sidecar, --domain, $(POD_NAMESPACE).svc.cluster.local, --proxyLogLevel=warning, --proxyComponentLogLevel=misc:error]',
  } = parts;
  return `apiVersion: apps/v1
kind: ${kind}
metadata:
  name: ${name}
  namespace: shop
spec:
  template:
    metadata:
      annotations: ${annotations}
      labels: ${labels}
    spec:
      serviceAccountName: pay
      ${spec}
      containers:
      - name: app
        image: example/app:1
      - name: istio-proxy
        image: example/proxyv2:1.30.1
        args: ${args}
        env:
        - { name: CA_ADDR, value: "istiod.istio-system.svc:15012" }
        - { name: PILOT_CERT_PROVIDER, value: istiod }
        - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
        - { name: POD_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
        - { name: SERVICE_ACCOUNT, valueFrom: { fieldRef: { fieldPath: spec.serviceAccountName } } }
        - { name: ISTIO_META_CLUSTER_ID, value: east }
        - { name: ISTIO_META_WORKLOAD_NAME, value: ${name} }
        - { name: TRUST_DOMAIN, value: cluster.local }
${env.map((line) => `        - ${line}\n`).join('')}        readinessProbe: { httpGet: { path: /healthz/ready, port: 15021 }, periodSeconds: 15 }
        volumeMounts:
        - { name: istio-token, mountPath: /var/run/secrets/tokens }
        - { name: istiod-ca-cert, mountPath: /var/run/secrets/istio }
      volumes:
      - name: istio-token
        projected: { sources: [{ serviceAccountToken: { audience: ${parts.audience ?? 'istio-ca'}, expirationSeconds: 43200, path: istio-token } }] }
      - { name: istiod-ca-cert, configMap: { name: istio-ca-root-cert } }
`;
}
