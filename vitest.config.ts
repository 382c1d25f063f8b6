import { defineConfig } from 'vitest/config';

// `unit` needs nothing but Node, `envoy` a real Envoy, `mutations` breaks each scenario and wants to see it fail, `peers` talks to other
// people's clients and builds them with Go.
// Which Envoy: FAKE_ISTIOD_TEST_ENVOY, a version or a path.
const peers = ['test/peers/**/*.test.ts', 'test/wire/grpcurl.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/envoy/**', ...peers],
          testTimeout: 5_000,
          hookTimeout: 5_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'envoy',
          include: ['test/envoy/**/*.test.ts'],
          exclude: ['test/envoy/mutations.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxConcurrency: 6,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'mutations',
          include: ['test/envoy/mutations.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxConcurrency: 6,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: { name: 'peers', include: peers, testTimeout: 60_000, hookTimeout: 300_000, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
