/** What an input is, by its content. */
export const inputKinds = {
  'injected manifest': 'a Kubernetes workload or pod with istio-proxy, YAML or JSON',
  'mesh config': 'MeshConfig, ProxyConfig, or the ConfigMap `istio`',
  bootstrap: "Envoy's bootstrap",
  config_dump: '`/config_dump` of Envoy, also as istioctl or egctl print it',
  stats: '`/stats` as text, JSON or for Prometheus',
  ready: '`/ready`: code, body, or both',
  server_info: '`/server_info`',
  clusters: '`/clusters`, text or JSON',
  listeners: '`/listeners`, text or JSON',
  init_dump: '`/init_dump`',
  log: 'the log of Envoy, pilot-agent or istiod, or all in one',
  'pod description': '`kubectl describe pod`',
  'pod list': '`kubectl get pods`',
  'event list': '`kubectl get events`',
  timeline: '`timeline.ndjson` of a report, or the JSON log of `fake-istiod serve`',
  'run result': '`result.json` of a report',
} as const;

export type InputKind = keyof typeof inputKinds;
