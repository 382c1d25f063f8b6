import { findEnvoy } from '../../src/envoy/find.ts';
import { defaultEnvoyVersion } from '../../src/envoy/envoy-binary.ts';
import type { EnvoyBinary } from '../../src/envoy/envoy-binary.ts';

/** What to test with: FAKE_ISTIOD_TEST_ENVOY is a version, a path, `docker` or `docker:IMAGE`; default 1.40.0. */
export const wantedEnvoy = process.env['FAKE_ISTIOD_TEST_ENVOY'] || defaultEnvoyVersion;

let found: Promise<EnvoyBinary> | undefined;

/** The Envoy under test, fetched if need be. */
export function realEnvoy(): Promise<EnvoyBinary> {
  return (found ??= findEnvoy({ wanted: wantedEnvoy }));
}
