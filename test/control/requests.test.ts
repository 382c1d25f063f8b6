import { describe, expect, it } from 'vitest';
import { controlledIstiod, json, problemOf, yaml } from './controlled.ts';

describe('A wrong request to the control API', () => {
  const text = (body: string, type: string): RequestInit => ({ method: 'PUT', body, headers: { 'content-type': type } });
  const wrong: readonly (readonly [
    what: string,
    path: string,
    init: RequestInit,
    status: number,
    code: string,
    place: string,
    says: RegExp,
  ])[] = [
    ['half of JSON', '/snapshot', text('{', 'application/json'), 400, 'input.syntax', 'body:1', /./],
    [
      'no JSON',
      '/snapshot',
      text('{"clusters":\n [01]}', 'application/json'),
      400,
      'input.syntax',
      'body:2',
      /: is no JSON: Unexpected number\. YAML/,
    ],
    [
      'YAML for JSON',
      '/snapshot',
      text('{"clusters":\n [NaN]}', 'application/json'),
      400,
      'input.syntax',
      'body:2',
      /: is no JSON: Unexpected token 'N'\. .*yaml/,
    ],
    [
      'JSON in UTF-16',
      '/snapshot',
      { ...text('', 'application/json'), body: Buffer.from('\ufeff{}', 'utf16le') },
      400,
      'input.not-utf8',
      'body',
      /UTF-8/,
    ],
    [
      'compressed',
      '/snapshot',
      { ...text('{}', 'application/json'), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      415,
      'request.media-type-unsupported',
      '',
      /compressed \(gzip\)/,
    ],
    ['null', '/withhold', json('POST', null), 400, 'input.empty', 'body', /nothing in it/],
    ['NaN', '/commands', yaml('POST', 'drop: { type: CDS, times: .nan }'), 400, 'request.invalid', 'body:1 drop.times', /found NaN/],
    [
      'more than a number holds',
      '/commands',
      { ...text('{"drop":{"type":"CDS","times":1e999}}', 'application/json'), method: 'POST' },
      400,
      'request.invalid',
      'body:1 drop.times',
      /found Infinity/,
    ],
    ['no YAML', '/snapshot', yaml('PUT', 'a: [\n'), 400, 'input.syntax', 'body:2', /./],
    ['no UTF-8', '/snapshot', { ...yaml('PUT', ''), body: new Uint8Array([0xff, 0x41]) }, 400, 'input.not-utf8', 'body:1', /UTF-8/],
    ['two documents', '/snapshot', yaml('PUT', 'a: 1\n---\nb: 2\n'), 400, 'request.invalid', 'body:3', /second document/],
    ['none', '/snapshot', { method: 'PUT' }, 400, 'request.invalid', 'body', /there is none/],
    ['nothing but a comment', '/snapshot', yaml('PUT', '# nothing\n'), 400, 'input.empty', 'body', /nothing/],
    ['a list', '/snapshot', json('PUT', []), 400, 'request.invalid', 'body:1', /found a list/],
    ['an empty list for a map', '/snapshot', json('PATCH', { set: [] }), 400, 'request.invalid', 'body:1 set', /found a list, expected/],
    [
      'an empty list to remove',
      '/snapshot',
      json('PATCH', { remove: [] }),
      400,
      'request.invalid',
      'body:1 remove',
      /found a list, expected/,
    ],
    [
      'an empty list for a resource',
      '/snapshot/CDS/a',
      json('PUT', []),
      400,
      'request.invalid',
      'body:1',
      /found a list, expected a resource/,
    ],
    [
      'an empty list in a list',
      '/snapshot',
      json('PUT', { clusters: [[]] }),
      400,
      'request.invalid',
      'body:1 clusters[0]',
      /found a list, expected/,
    ],
    [
      'an empty list of a command',
      '/commands',
      json('POST', { delay: [] }),
      400,
      'request.invalid',
      'body:1 delay',
      /found a list, expected/,
    ],
    ['an empty list for a scenario', '/explain', json('POST', []), 400, 'request.invalid', 'body:1', /found a list, expected/],
    [
      'an empty list in a scenario',
      '/scenario',
      json('PUT', { title: 'x', serve: [] }),
      400,
      'scenario.invalid',
      'body:1 serve',
      /found a list/,
    ],
    ['a text', '/snapshot', json('PUT', 'CDS'), 400, 'request.invalid', 'body:1', /found "CDS"/],
    ['a misspelt key', '/snapshot', json('PUT', { clusterz: [] }), 400, 'request.invalid', 'body:1 clusterz', /Did you mean "clusters"/],
    ['a wrong type', '/snapshot', json('PUT', { clusters: 5 }), 400, 'request.invalid', 'body:1 clusters', /found 5/],
    [
      'a wrong field',
      '/snapshot',
      yaml('PUT', 'clusters:\n- name: a\n- name: b\n  conect_timeout: 1s\n'),
      400,
      'request.invalid',
      'body:4 clusters[1].conect_timeout',
      /Did you mean "connect_timeout"/,
    ],
    ['another name', '/snapshot/CDS/a', json('PUT', { name: 'b' }), 400, 'request.invalid', 'body:1', /name "b", the path "a"/],
    [
      'another type',
      '/snapshot/LDS',
      json('PUT', [{ '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'b' }]),
      400,
      'request.invalid',
      'body:1 [0]',
      /is a .*Cluster/,
    ],
    ['no type', '/snapshot/CDX', json('PUT', []), 400, 'request.invalid', 'path type', /Did you mean "CDS"/],
    [
      'files of the server',
      '/commands',
      json('POST', { publish: { files: ['x.yaml'] } }),
      400,
      'request.invalid',
      'body:1 publish.files[0]',
      /not read for a request/,
    ],
    [
      'files of the server in a scenario',
      '/scenario',
      yaml('PUT', 'title: x\nserve: { files: [x.yaml] }\n'),
      400,
      'request.invalid',
      'body:2 serve.files',
      /not read for a request/,
    ],
    ['a path in place of a name', '/scenario', json('PUT', { name: '../x' }), 404, 'scenario.not-found', '', /no name of a scenario/],
    ['no scenario of that name', '/scenario', json('PUT', { name: 'redy' }), 404, 'scenario.not-found', '', /Did you mean ready/],
    [
      'a wrong scenario',
      '/scenario',
      yaml('PUT', 'title: x\nwithold: CDS\n'),
      400,
      'scenario.invalid',
      'body:2 withold',
      /Did you mean "withhold"/,
    ],
    [
      'an unknown command',
      '/commands',
      json('POST', [{ release: 'CDS' }, { realease: 'CDS' }]),
      400,
      'request.invalid',
      'body:1 [1].realease',
      /Did you mean "release"/,
    ],
    ['a wrong duration', '/commands', json('POST', { delay: { type: 'CDS', by: '5' } }), 400, 'request.invalid', 'body:1 delay.by', /2s/],
    ['a rule that is none', '/rules', json('POST', { mark: 'x' }), 400, 'request.invalid', 'body', /leaves nothing in force/],
    ['two rules', '/rules', json('POST', { withhold: 'CDS', drop: 'LDS' }), 400, 'request.invalid', 'body', /2 commands/],
    ['an unknown rule', '/rules/withhold-9', { method: 'DELETE' }, 404, 'rule.not-found', '', /withhold-9/],
    ['an unknown node', '/nodes/nobody', {}, 404, 'node.not-found', '', /nobody/],
    ['an unknown resource', '/snapshot/CDS/helo', {}, 404, 'request.not-found', '', /Did you mean "hello"/],
    ['an unknown push', '/wait/acked?version=1', {}, 404, 'push.not-found', '', /1/],
    ['an unknown frame', '/journal/999999', {}, 404, 'request.not-found', '', /999999/],
    ['a frame that is no number', '/journal/x', {}, 400, 'request.invalid', 'path seq', /./],
    ['an unknown parameter', '/nodes?nod=x', {}, 400, 'request.invalid', 'query nod', /Did you mean "node"/],
    ['a parameter twice', '/nodes?node=x&node=y', {}, 400, 'request.invalid', 'query node', /list/],
    ['a parameter of the wrong kind', '/events?since=x', {}, 400, 'request.invalid', 'query since', /whole number/],
    ['no event', '/wait', json('POST', { timeout: '1s' }), 400, 'request.invalid', 'body', /no event is awaited/],
    ['two events', '/wait', json('POST', { 'step.fired': 'a', 'server.stopped': null }), 400, 'request.invalid', 'body', /2 events/],
    [
      'an unknown event',
      '/wait',
      json('POST', { 'response.aked': 'CDS' }),
      400,
      'request.invalid',
      'body:1 ["response.aked"]',
      /Did you mean "response.acked"/,
    ],
    [
      'an event that is not of the proxy',
      '/events',
      json('POST', { event: 'response.sent' }),
      400,
      'request.invalid',
      'body:1 event',
      /proxy/,
    ],
    ['nothing asserted', '/journal/assert', {}, 400, 'request.invalid', 'query', /nothing is expected/],
    ['an unknown path', '/nodez', {}, 404, 'request.not-found', '', /Did you mean "nodes"/],
    ['an unknown path below a known one', '/journal/1/2', {}, 404, 'request.not-found', '', /\/journal\/count/],
    ['an unknown method', '/state', { method: 'POST' }, 405, 'request.method-not-allowed', '', /GET or HEAD/],
    [
      'another media type',
      '/snapshot',
      text('<a/>', 'application/xml'),
      415,
      'request.media-type-unsupported',
      '',
      /application\/xml.*application\/yaml/,
    ],
    [
      'no media type',
      '/tokens',
      { method: 'POST', body: new Uint8Array([0x7b, 0x7d]) },
      415,
      'request.media-type-unsupported',
      '',
      /nothing says/,
    ],
    ['a body where none is taken', '/reset', json('POST', {}), 400, 'request.invalid', 'body:1', /takes no body/],
  ];

  it('says what is wrong, where, and what to do about it', async () => {
    const { url, istiod } = await controlledIstiod({ scenario: 'ready' });
    const version = istiod.snapshot().version;
    for (const [what, path, init, status, code, place, says] of wrong) {
      const { detail, problems, ...problem } = await problemOf(`${url}${path}`, init);
      const [first] = problems;
      const found = first
        ? `${first.in}${first.line === undefined ? '' : `:${first.line}`}${first.path === undefined ? '' : ` ${first.path}`}`
        : '';
      expect.soft([what, problem.status, problem.code, found]).toEqual([what, status, code, place]);
      expect.soft(detail, what).toMatch(says);
    }
    expect(istiod.snapshot().version).toBe(version);
    expect(istiod.rules).toEqual([]);
  });

  it('that is too large is refused by what its headers say, and by what it holds', async () => {
    const { url } = await controlledIstiod({ maxInputBytes: 1_000 });
    const large = json('PUT', { clusters: [{ name: 'x'.repeat(2_000) }] });
    const chunked: RequestInit = { ...large, body: new Blob([String(large.body)]).stream(), duplex: 'half' };
    for (const init of [large, chunked]) {
      expect(await problemOf(`${url}/snapshot`, init)).toMatchObject({ status: 413, code: 'input.too-large', problems: [{ in: 'body' }] });
    }
  });

  it('with an unknown method is told which there are', async () => {
    const { url } = await controlledIstiod();
    const { status, headers } = await fetch(`${url}/rules`, { method: 'PATCH' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, DELETE']);
  });
});
