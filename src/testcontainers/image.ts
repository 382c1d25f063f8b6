import { defaultEnvoyVersion } from '../envoy/index.ts';

/** The image that `npm run image` makes in a checkout. */
export const defaultFakeIstiodImage = 'fake-istiod:local';
/** The official Envoy, at the version that fake-istiod is tested with. */
export const defaultEnvoyImage = `envoyproxy/envoy:v${defaultEnvoyVersion}`;

/** The name by which sidecars look for istiod. */
export const istiodAlias = 'istiod.istio-system.svc';

/** Ports inside a fake-istiod container. */
export const istiodPorts = { xds: 15_012, plaintext: 15_010, control: 15_080 } as const;
/** The admin port inside an Envoy container. */
export const envoyAdminPort = 9901;
