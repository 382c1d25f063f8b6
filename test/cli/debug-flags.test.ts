import { describe, expect, it } from 'vitest';
import { debugLines, debugOptions } from '../../src/cli/debug-flags.ts';
import { FakeIstiodError } from '../../src/errors.ts';

const ignore = (): void => undefined;
const ports = (flags: Parameters<typeof debugOptions>[0]): object | undefined => {
  const { onUnavailable: _, ...rest } = debugOptions(flags, ignore) ?? { onUnavailable: undefined, none: true };
  return rest;
};

describe("The flags of istiod's own HTTP", () => {
  it("ask for istiod's monitoring port beside istiod's xDS port alone", () => {
    expect(ports({ port: 15_012 })).toEqual({ monitoringPort: 15_014 });
    expect(ports({ port: 0 })).toEqual({ none: true });
    expect(ports({ port: 15_012, monitoringPort: false })).toEqual({ none: true });
    expect(ports({ port: 0, monitoringPort: 0, httpPort: 8080, bind: ['0.0.0.0', '::1'] })).toEqual({
      monitoringPort: 0,
      httpPort: 8080,
      bind: '0.0.0.0',
    });
  });

  it('let a port that nobody named be taken, and no other', () => {
    const error = new FakeIstiodError('port.in-use', '127.0.0.1:15014 is in use already');
    const told: string[] = [];
    const tell = ({ code }: FakeIstiodError): void => void told.push(code);
    debugOptions({ port: 15_012, httpPort: 8080 }, tell)?.onUnavailable?.(error, 'monitoring');
    expect(told).toEqual(['port.in-use']);
    expect(() => debugOptions({ port: 15_012, httpPort: 8080 }, tell)?.onUnavailable?.(error, 'http')).toThrow(error);
    expect(() => debugOptions({ port: 15_012, monitoringPort: 15_014 }, tell)?.onUnavailable?.(error, 'monitoring')).toThrow(error);
  });

  it('are told where they led', () => {
    expect(debugLines({ monitoringUrl: 'http://127.0.0.1:15014', httpUrl: 'http://127.0.0.1:8080' })).toEqual([
      'Metrics and debug pages are at http://127.0.0.1:15014/metrics and http://127.0.0.1:15014/debug.',
      'Whether it is ready is told at http://127.0.0.1:8080/ready.',
    ]);
    expect(debugLines({ monitoringUrl: undefined, httpUrl: undefined })).toEqual([]);
  });
});
