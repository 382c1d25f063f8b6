/** Entry point `fake-istiod/testcontainers`: a fake istiod and an Envoy in containers, apart or together. */
export {};
