import { describe, expect, it } from 'vitest';
import { envoyArguments } from '../../src/envoy/envoy-arguments.ts';

describe('Envoy’s arguments', () => {
  it('let several Envoys live side by side and log every end of an xDS stream', () => {
    expect(envoyArguments([])).toEqual([
      '--disable-hot-restart',
      '--concurrency',
      '1',
      '-l',
      'warning',
      '--component-log-level',
      'config:debug,upstream:info',
    ]);
  });

  it('are never given twice, and never a log format', () => {
    expect(envoyArguments(['--concurrency=2', '-l', 'debug'])).toEqual(['--disable-hot-restart', '--concurrency=2', '-l', 'debug']);
    expect(envoyArguments([]).join(' ')).not.toContain('--log-format');
  });
});
