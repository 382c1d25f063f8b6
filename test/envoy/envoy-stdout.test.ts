import { describe, expect, it } from 'vitest';
import { bootstrap, startEnvoy, validateBootstrap } from '../../src/envoy/index.ts';
import { realEnvoy } from './real-envoy.ts';

// Istio's usual access log. Node's own pipes cannot be opened by name, and such an Envoy exits: "unable to open file '/dev/stdout'".
const toStdout = bootstrap({
  merge: {
    admin: {
      access_log: [
        { name: 'a', typed_config: { '@type': 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog' } },
        {
          name: 'b',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog', path: '/dev/stdout' },
        },
        {
          name: 'c',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog', path: '/dev/stderr' },
        },
      ],
    },
  },
});

describe('an Envoy that logs to /dev/stdout', () => {
  it('starts, and what it writes there is in its log', async () => {
    const envoy = await startEnvoy({ bootstrap: toStdout, envoy: await realEnvoy() });
    try {
      expect((await envoy.admin.ready()).code).toBe(503);
    } finally {
      await envoy.stop();
    }
    expect(envoy.log.filter((line) => line.includes('"GET /ready HTTP/1.1"'))).toHaveLength(3);
  });

  it('is found good by --mode validate', async () => {
    expect(await validateBootstrap({ bootstrap: toStdout, envoy: await realEnvoy() })).toMatchObject({ ok: true, reasons: [] });
  });
});
