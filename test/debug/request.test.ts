import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createTimeline } from '../../src/observe/timeline.ts';
import { istiodQuirks } from '../../src/protocol/quirks.ts';
import type { DebuggedIstiod, KnownCaller } from '../../src/debug/face.ts';
import { handleRequest } from '../../src/debug/debug-request.ts';
import { manualClock } from '../clock.ts';

const callers: Readonly<Record<string, KnownCaller>> = {
  system: { namespace: 'istio-system', spiffeId: 'spiffe://cluster.local/ns/istio-system/sa/default' },
  demo: { namespace: 'demo', spiffeId: 'spiffe://cluster.local/ns/demo/sa/web' },
};

function istiodOf(more: Partial<DebuggedIstiod> = {}): DebuggedIstiod {
  const clock = manualClock();
  return {
    podName: 'istiod-0',
    nodes: [],
    sessions: [],
    timeline: createTimeline(clock),
    quirks: istiodQuirks,
    trustDomain: 'cluster.local',
    clusters: { own: 'Kubernetes', remote: ['remote1'] },
    mesh: undefined,
    ready: true,
    startedAt: clock.date(),
    snapshot: () => ({ version: 'v1', sequence: 1, types: [] }),
    pushAll: () => 0,
    identify: ({ authorization }) => Promise.resolve(callers[authorization?.slice('Bearer '.length) ?? '']),
    ...more,
  };
}

/** The status of a request from `remoteAddress`, and the body. */
async function asked(url: string, remoteAddress: string, who?: string, istiod = istiodOf()): Promise<string> {
  let status = 0;
  let body = '';
  const incoming = {
    url,
    method: 'GET',
    headers: who === undefined ? {} : { authorization: `Bearer ${who}` },
    socket: { remoteAddress, remotePort: 4711 },
    resume: () => undefined,
  } as unknown as IncomingMessage;
  const outgoing = {
    writeHead: (code: number) => void (status = code),
    end: (text?: string) => void (body = text ?? ''),
  } as unknown as ServerResponse;
  await handleRequest({ kind: 'monitoring', istiod, counted: () => [] }, incoming, outgoing);
  return `${status} ${body}`.trim();
}

describe('Who may ask over HTTP', () => {
  it.each(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'])('is anybody from %s', async (address) => {
    expect(await asked('/debug/syncz', address)).toBe('200 []');
  });

  it('is from elsewhere who has proved to be somebody, and is told nothing otherwise', async () => {
    expect(await asked('/debug/syncz', '10.1.2.3')).toBe('401');
    expect(await asked('/debug/syncz', '10.1.2.3', 'stranger')).toBe('401');
    expect(await asked('/debug/syncz', '10.1.2.3', 'system')).toBe('200 []');
    expect(await asked('/debug/syncz', '::ffff:10.1.2.3', 'system')).toBe('200 []');
    expect(await asked('/debug/syncz', '1271.0.0.1')).toBe('401');
  });

  it('is of another namespace for three paths alone', async () => {
    for (const path of ['config_dump', 'ndsz', 'edsz'])
      expect(await asked(`/debug/${path}?proxyID=a`, '10.1.2.3', 'demo')).toBe(
        '404 Proxy not connected to this Pilot instance. It may be connected to another instance.',
      );
    for (const path of ['syncz', 'adsz?push=true', 'list', 'force_disconnect', 'nothing'])
      expect(await asked(`/debug/${path}`, '10.1.2.3', 'demo')).toBe('403');
  });

  it('is anybody where that is switched off', async () => {
    const istiod = istiodOf({ quirks: { ...istiodQuirks, 'debug-identity': 'any' } });
    expect(await asked('/debug/syncz', '10.1.2.3', undefined, istiod)).toBe('200 []');
  });

  it('is anybody for what is not about proxies', async () => {
    expect(await asked('/metrics', '10.1.2.3')).toMatch(/^200 # HELP pilot_info/);
    expect(await asked('/version', '10.1.2.3')).toMatch(/^200 /);
    expect(await asked('/debug', '10.1.2.3')).toMatch(/^200 <!doctype html>/);
  });

  it('hears of a failure of ours as a status, not as a connection that hangs', async () => {
    const istiod = istiodOf({
      pushAll: () => {
        throw new Error('out of order');
      },
    });
    expect(await asked('/debug/adsz?push=true', '127.0.0.1', undefined, istiod)).toBe('500 out of order');
  });

  it('is told remote clusters beside the own one', async () => {
    expect(await asked('/debug/clusterz', '127.0.0.1')).toBe(
      '200 [{"id":"Kubernetes","secretName":"","syncStatus":"synced"},{"id":"remote1","secretName":"istio-system/istio-remote-secret-remote1","syncStatus":"synced"}]',
    );
  });
});
