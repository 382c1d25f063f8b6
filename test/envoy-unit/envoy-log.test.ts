import { describe, expect, it } from 'vitest';
import { LineRing, normaliseSpace, parseEnvoyLogLine, reasonsToExit } from '../../src/envoy/envoy-log.ts';

const line = (level: string, text: string): string =>
  `[2026-11-30 10:16:31.370][7384][${level}][main] [source/server/server.cc:449] ${text}`;

describe('a line of Envoy’s log', () => {
  it('is taken apart into level, logger and text without its source position', () => {
    expect(parseEnvoyLogLine(line('critical', 'error  `x`'))).toEqual({ level: 'critical', logger: 'main', text: 'error `x`' });
    expect(parseEnvoyLogLine('Unknown gRPC client cluster')).toBeUndefined();
  });

  it('may be in the format of Istio’s bootstraps', () => {
    const istio = '2026-11-30T10:43:00.604836Z\tcritical\tenvoy main\tsource/server/server.cc:76\terror `x`\tthread=7';
    expect(parseEnvoyLogLine(istio)).toEqual({ level: 'critical', logger: 'main', text: 'error `x`' });
  });

  it('loses the random blanks and markers that protobuf puts into error texts', () => {
    expect(normaliseSpace("initializing config 'goo.gle/debugstr  \n  boot.json'")).toBe("initializing config ' boot.json'");
  });
});

describe('the reason why Envoy ended', () => {
  it('is the bare text that Envoy prints last, told once', () => {
    const log = [
      line('warning', 'w'),
      line('critical', "error `Unknown gRPC client cluster 'x'` initializing config 'goo.gle/debug1 "),
      "  b.json'",
      "Unknown gRPC client cluster 'x'",
    ];
    expect(reasonsToExit(log)).toEqual(["Unknown gRPC client cluster 'x'"]);
  });

  it('includes errors that the last line does not tell', () => {
    const backtrace = line('critical', '#8 UNKNOWN [0x55c36482811c]');
    expect(reasonsToExit([line('error', 'cannot bind'), backtrace, 'bye'])).toEqual(['cannot bind', 'bye']);
  });

  it('is the end of the log where nothing grave is in it', () => {
    expect(reasonsToExit([line('info', 'a'), line('warning', 'caught ENVOY_SIGTERM')], 1)).toEqual(['caught ENVOY_SIGTERM']);
    expect(reasonsToExit([])).toEqual([]);
  });
});

describe('the ring of log lines', () => {
  it('joins lines that come in pieces, leaves out empty ones, tells each and keeps the newest', () => {
    const told: string[] = [];
    const ring = new LineRing(2, (text) => told.push(text));
    for (const piece of ['a', 'b\n\nc\r\nd', 'e']) ring.write(piece);
    expect(told).toEqual(['ab', 'c']);
    ring.end();
    expect(told).toEqual(['ab', 'c', 'de']);
    expect(ring.lines).toEqual(['c', 'de']);
  });
});
