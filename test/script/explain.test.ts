import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandSentence, expectationSentence, explainScenario, stepSentence } from '../../src/script/explain.ts';
import { loadScenario } from '../../src/script/load.ts';
import { packagedScenarios } from '../../src/script/packaged.ts';
import { scenarioOf } from './written.ts';

/* docs/explain/ is what the docs show. After a wanted change: UPDATE_GOLDEN=1 npx vitest run test/script, and read the diff. */
const folder = new URL('../../docs/explain/', import.meta.url);
const update = process.env['UPDATE_GOLDEN'] === '1';
const packaged = await packagedScenarios();

describe('docs/explain', () => {
  it.each(packaged)('tells $name as it is', async ({ name, file }) => {
    const text = explainScenario(await loadScenario(file));
    if (update) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(new URL(`${name}.txt`, folder), text);
    }
    expect(readFileSync(new URL(`${name}.txt`, folder), 'utf8')).toBe(text);
  });

  it('tells nothing that is no scenario', () => {
    expect(readdirSync(folder).sort()).toEqual(packaged.map(({ name }) => `${name}.txt`));
  });
});

async function steps(text: string): Promise<readonly string[]> {
  return (await scenarioOf(`title: x\nnodes: [{ name: n, match: { id: x }, serve: {} }]\nsteps:\n${text}`)).steps.map(stepSentence);
}

async function step(when: string): Promise<string | undefined> {
  return (await steps(`  - { name: a, when: ${when}, do: { release: CDS } }`))[0];
}

async function command(text: string): Promise<readonly string[] | undefined> {
  return (await scenarioOf(`title: x\nsteps: [{ name: a, when: server.started, do: ${text} }]`)).steps[0]?.commands.map(commandSentence);
}

async function expectation(text: string): Promise<string | undefined> {
  const { expectations } = await scenarioOf(`title: x\nsteps: [{ name: release, when: server.started }]\nexpect: [${text}]`);
  return expectations.map(expectationSentence)[0];
}

describe('a step in English', () => {
  it.each([
    ['{ request.received: CDS }', 'When the first CDS request arrives, release CDS.'],
    ['{ request.received: { type: LDS, nth: 2, outcome: ack } }', 'When the 2nd LDS request with outcome ack arrives, release CDS.'],
    ['{ stream.opened: 3 }', 'When the 3rd stream is opened, release CDS.'],
    ['{ stream.opened: { variant: delta, nth: 11 } }', 'When the 11th stream with variant delta is opened, release CDS.'],
    ['{ envoy.state-reached: { state: LIVE, nth: 2 } }', 'When Envoy reaches LIVE for the 2nd time, release CDS.'],
    ['{ envoy.logged: /bad/ }', 'When Envoy logs a line like /bad/, release CDS.'],
    [
      '{ response.nacked: { node: { id: a*, metadata: { NAMESPACE: b } } } }',
      'When the first NACK from nodes with id a* and metadata NAMESPACE b arrives, release CDS.',
    ],
    ['{ after: 1500ms }', 'When 1.5 s have passed since the start, release CDS.'],
    ['{ after: 2s, since: a }', 'When 2 s have passed since a, release CDS.'],
    ['{ server.started: {}, stream.closed: {} }', 'When the server starts and the first stream is closed, release CDS.'],
    [
      '{ any: [server.stopped, { all: [server.started, stream.closed] }] }',
      'When either the server stops or (the server starts and the first stream is closed), release CDS.',
    ],
  ])('%s', async (when, sentence) => {
    expect(await step(when)).toBe(sentence);
  });

  it('says that it only marks a moment, and of which variant it is', async () => {
    expect(await steps('  - { name: seen, when: server.started, variant: delta }')).toEqual([
      'When the server starts, that is the moment seen (only with delta).',
    ]);
  });
});

describe('a command in English', () => {
  it.each([
    ['{ release: [CDS, { type: EDS, names: [a, b], node: { cluster: c } }] }', ['release CDS and EDS of a and b for nodes with cluster c']],
    ['{ publish: { clusters: [{ name: a }, { name: b }], listeners: [] } }', ['publish clusters a and b and no listeners']],
    ['{ set: { clusters: [{ name: a }] } }', ['set cluster a']],
    ['{ remove: { clusters: [a] } }', ['remove cluster a']],
    [
      '{ delay: { type: CDS, by: 300ms }, drop: { type: LDS, times: 2 } }',
      ['delay CDS responses by 300 ms', 'drop the next 2 LDS responses'],
    ],
    ['{ delay: { type: CDS, by: 0s } }', ['delay CDS responses no more']],
    ['{ close: { message: bye, variant: sotw } }', ['close all streams in sotw with status 14 UNAVAILABLE (bye)']],
    [
      '{ refuse: { code: 7, times: 1 }, accept: streams }',
      ['refuse the next stream with status 7 PERMISSION_DENIED', 'accept streams again'],
    ],
    ['{ auth: off, tls: unknown-ca }', ['let everybody in', 'show a certificate of an unknown root in new handshakes']],
    ['{ gates: { xds: { closed_for: 3 }, ca: open } }', ['close the xDS gate for 3 tries', 'open the CA gate']],
    ['{ rate_limit: 0.5, rotate: root }', ['let in 0.5 new streams per second', 'sign by a new root and cut every connection']],
    ['{ expire: { certificate: 2s } }', ['let the server certificate expire in 2 s']],
    ['{ request_certificate: { token: false, ttl: 1m } }', ['let the proxy ask the CA for a certificate for 1 min without a token']],
    [
      '{ request_certificate: { namespace: a, service_account: b, token: { audience: [c, d], signed_by: stranger } } }',
      ['let the proxy ask the CA for a certificate with a token for c and d of a/b (signed by a stranger)'],
    ],
    [
      '{ stop: server, silence: server, start: server, ready: false, mark: m }',
      ['stop the server', 'silence the server', 'start the server', 'let istiod be not ready', 'mark m'],
    ],
  ])('%s', async (text, sentences) => {
    expect(await command(text)).toEqual(sentences);
  });
});

describe('what Envoy proves itself with, in English', () => {
  it.each([
    ['{ tls: true }', 'speaks TLS'],
    ['{ tls: { sni: a, san: b } }', 'speaks TLS (SNI a, name b)'],
    ['{ tls: { san: false } }', 'speaks TLS (any name)'],
    [
      '{ client_certificate: { service_account: web, trust_domain: t, ttl: 60m } }',
      'speaks TLS and shows a certificate of default/web (trust domain t, good for 60 min)',
    ],
    ['{ token: { expired: true, issuer: me, cluster_id: c } }', 'sends an expired token for istio-ca (issued by me, from cluster c)'],
    ['{ token: { signed_by: nobody, audience: [] } }', 'sends a token for nobody (without a signature)'],
    ['{ token_file: { ttl: 5s } }', 'sends what is in its token file, at first a token for istio-ca (good for 5 s)'],
  ])('%s', async (text, words) => {
    const told = explainScenario(await scenarioOf(`title: x\nbootstrap: ${text}`));
    const sentence = told
      .replaceAll('\n  ', ' ')
      .split('\n')
      .find((line) => line.startsWith('Envoy waits'));
    expect(sentence).toBe(`Envoy waits for CDS and LDS for ever${words.startsWith('speaks TLS and') ? ', ' : ' and '}${words}.`);
  });
});

describe('an expectation in English', () => {
  it.each([
    ['{ state: LIVE, within: 5s }', 'Envoy is LIVE within 5 s.'],
    ['{ state: LIVE, after: release, within: 5s }', 'Envoy is LIVE within 5 s of release.'],
    ['{ state: [LIVE, DRAINING], never: 2s }', 'Envoy is never LIVE or DRAINING for 2 s.'],
    ['{ state: PRE_INITIALIZING, within: 5s, stays: until release }', 'Envoy stays PRE_INITIALIZING until release, beginning within 5 s.'],
    [
      '{ ready: { code: 503, body: INITIALIZING }, within: 1s, stays: 2s }',
      '/ready goes on answering 503 and the body INITIALIZING for 2 s, beginning within 1 s.',
    ],
    ['{ request.received: LDS, never: until release }', 'No LDS request arrives until release.'],
    ['{ response.sent: LDS, after: release, never: true }', 'After release, no LDS response is sent, up to the end.'],
    ['{ request.received: { type: CDS, count: ">= 2" }, within: 1s }', 'At least 2 CDS requests arrive within 1 s.'],
    ['{ response.nacked: { type: LDS, count: 1 }, within: 1s }', 'One LDS NACK arrives, no more within 1 s.'],
    ['{ stat: { a: ">= 1", b: absent }, within: 1s }', 'The stat a is at least 1 and b is absent within 1 s.'],
    ['{ agent: ready, within: 1s }', 'pilot-agent would say ready within 1 s.'],
    [
      '{ config: { type: CDS, active: [a, b], lacks: [c] }, within: 1s }',
      'Envoy has the active clusters a and b and no active cluster c within 1 s.',
    ],
    ['{ dump: { a.b: 1 }, within: 1s }', 'The config_dump has 1 at a.b within 1 s.'],
    ['{ http: { listener: web, body: hello }, within: 1s }', 'Listener web answers GET / with the body hello within 1 s.'],
    ['{ http: { listener: web, refused: true }, within: 1s }', 'Listener web refuses connections within 1 s.'],
    [
      '{ exit: 1, variant: delta, envoy: ">=1.39", within: 1s, because: so }',
      'With delta on Envoy >=1.39: Envoy exits with code 1 within 1 s (so).',
    ],
    ['{ log: /x/, never: true }', 'Envoy does not log a line like /x/, up to the end.'],
  ])('%s', async (text, sentence) => {
    expect(await expectation(text)).toBe(sentence);
  });
});
