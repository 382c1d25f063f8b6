/** What istiod's certificate is good for (istio pilot/pkg/bootstrap/certcontroller.go), and the addresses of a lab. */
export const istiodNames: readonly string[] = [
  'istiod.istio-system.svc',
  'istiod-remote.istio-system.svc',
  'istio-pilot.istio-system.svc',
  'istiod.istio-system',
  'localhost',
  '127.0.0.1',
  '::1',
];
