/** Entry point `fake-istiod/testcontainers`: a fake istiod and an Envoy in containers, apart or together. */
export { FakeIstiodContainer, StartedFakeIstiodContainer } from './fake-istiod-container.ts';
export type { RemotePush } from './started-fake-istiod.ts';
export { EnvoyContainer, StartedEnvoyContainer } from './envoy-container.ts';
export type { AnyIstiod } from './envoy-container.ts';
export { startContainerPair } from './pair.ts';
export type { ContainerPair, ContainerPairOptions } from './pair.ts';
export { forAdmin, forServerState, forStuckIn } from './state-wait.ts';
export type { StateWaitOptions } from './state-wait.ts';
export { defaultEnvoyImage, defaultFakeIstiodImage, envoyAdminPort, istiodAlias, istiodPorts } from './image.ts';
