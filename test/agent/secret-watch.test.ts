import { describe, expect, it } from 'vitest';
import { answerOf, type SecretWatch } from '../../src/agent/secret-watch.ts';
import { filesInName, mergedRoots } from '../../src/agent/secret.ts';
import type { SotwRequest } from '../../src/protocol/request.ts';

const request = (names: readonly string[], more: Partial<SotwRequest> = {}): SotwRequest => ({
  variant: 'sotw',
  typeUrl: '',
  version: '',
  nonce: '',
  names,
  ...more,
});
const watch: SecretWatch = { names: new Set(['default']), nonce: 'n1' };

describe('a request for secrets', () => {
  it('is answered the first time', () => {
    expect(answerOf(undefined, request(['default']))).toEqual({ watch: { names: new Set(['default']), nonce: '' }, send: ['default'] });
  });

  it('is answered after a reconnect, whose nonce is of another stream', () => {
    expect(answerOf(undefined, request(['default'], { nonce: 'old' })).send).toEqual(['default']);
  });

  it('that acknowledges is not answered', () => {
    expect(answerOf(watch, request(['default'], { nonce: 'n1' })).send).toEqual([]);
  });

  it('that refuses is not answered either, whatever else it asks for', () => {
    const refusal = request(['default', 'ROOTCA'], { nonce: 'n1', errorDetail: { code: 13, message: 'no' } });
    expect(answerOf(watch, refusal)).toEqual({ watch, send: [] });
  });

  it('with a stale nonce changes nothing', () => {
    expect(answerOf(watch, request(['ROOTCA'], { nonce: 'n0' }))).toEqual({ watch, send: [] });
  });

  it('for one name more is answered with that', () => {
    const { watch: next, send } = answerOf(watch, request(['default', 'ROOTCA'], { nonce: 'n1' }));
    expect(send).toEqual(['ROOTCA']);
    expect(next?.names).toEqual(new Set(['default', 'ROOTCA']));
  });

  it('for nothing ends the watch', () => {
    expect(answerOf(watch, request([], { nonce: 'n1' }))).toEqual({ watch: undefined, send: [] });
  });
});

describe('the name of a secret', () => {
  it.each([
    ['file-cert:/a/chain.pem~/a/key.pem', { kind: 'certificate', chain: '/a/chain.pem', key: '/a/key.pem' }],
    ['file-root:/a/root.pem', { kind: 'root', root: '/a/root.pem' }],
    ['default', undefined],
    ['file-cert:/a/chain.pem', undefined],
    ['file-root:a~b', undefined],
    ['kubernetes://credential', undefined],
  ])('%s may name files', (name, files) => {
    expect(filesInName(name)).toEqual(files);
  });
});

it('roots of several sources are one bundle, each once, in a fixed order', () => {
  expect(mergedRoots(['b', 'a', 'b'])).toBe('ab');
  expect(mergedRoots(['a', 'b'])).toBe(mergedRoots(['b', 'a']));
});
