import { defineConfig } from 'vitest/config';

// `unit` is values and sessions: no port, no child process (test/unit-guard.ts sees to it). `loopback` has servers, child processes, openssl,
// and tests that are about much data. `envoy` needs a real Envoy; so does `long`, which takes its time; `mutations` breaks each scenario and
// wants to see it fail; `docker` needs a daemon; `peers` talks to other people's clients and builds them with Go.
// Which Envoy: FAKE_ISTIOD_TEST_ENVOY, a version or a path.
const long = ['test/envoy/{diagnose,examples,sidecar-bootstrap}.test.ts'];
const peers = ['test/peers/**/*.test.ts', 'test/wire/grpcurl.test.ts'];
const loopback = [
  'test/agent/{carried-xds,given-secrets,status-port}.test.ts',
  'test/ca/{authority,csr,new-csr,pki-folder,pki-refusal,server-identity}.test.ts',
  'test/cli/{bad-input,ca,collected-files,completion,ctl,ctl-verify,entry,healthcheck,serve,serve-control,serve-identity}.test.ts',
  'test/envoy-unit/{admin-client,await-state,find,leftovers}.test.ts',
  'test/control/**/*.test.ts',
  'test/debug/{ads,http}.test.ts',
  'test/{istiod,pod}/**/*.test.ts',
  'test/protobuf/{cases,every-message,pipe-bytes}.test.ts',
  'test/rules/{docs,tracked-files}.test.ts',
  'test/runner/{http-probe,prober,run,several-istiods,verify}.test.ts',
  'test/wire/{ca-client,client-certificate,discovery-stream,doorkeeper,health,reflection,tls-preset,xds-server}.test.ts',
];

// `isolate: false`: a process and a fresh copy of the source for each file would cost more than the tests do. So a module that several tests
// import must not call afterEach and the like at its top level (it is read once, and would do so for the first file alone): onTestFinished.
// `maxWorkers: '100%'`: vitest leaves one core out, which of two is half.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/envoy/**', 'test/docker/**', ...peers, ...loopback],
          setupFiles: ['test/unit-guard.ts'],
          isolate: false,
          maxWorkers: '100%',
          testTimeout: 10_000,
          hookTimeout: 10_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'loopback',
          include: loopback,
          isolate: false,
          maxWorkers: '100%',
          testTimeout: 10_000,
          hookTimeout: 10_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'envoy',
          include: ['test/envoy/**/*.test.ts'],
          exclude: ['test/envoy/mutations.test.ts', ...long],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxConcurrency: 6,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'long',
          include: long,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxConcurrency: 6,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
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
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'docker',
          include: ['test/docker/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: { name: 'peers', include: peers, testTimeout: 60_000, hookTimeout: 300_000, sequence: { groupOrder: 4 } },
      },
    ],
  },
});
