import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../src/protobuf/document.ts';
import { documentOf, errorOf } from './in-memory.ts';

describe('a document', () => {
  it('has plain values, frozen all the way down', () => {
    const { value } = documentOf('a: [1, {b: yes, c: 0x10}] # comment\n');
    expect(value).toEqual({ a: [1, { b: 'yes', c: 16 }] });
    expect(Object.isFrozen((value as { a: unknown[] }).a[1])).toBe(true);
  });

  it('keeps integers that a number cannot hold', () => {
    expect(documentOf('a: 9223372036854775807\nb: 9007199254740991').value).toEqual({
      a: 9_223_372_036_854_775_807n,
      b: 9_007_199_254_740_991,
    });
  });

  it('follows anchors and merge keys', () => {
    expect(documentOf('x: &x {b: 1, c: 1}\ny: {<<: *x, c: 2}').value).toMatchObject({ y: { b: 1, c: 2 } });
  });

  it('takes tagged values for the plain ones they are', () => {
    expect(documentOf('a: !!binary aGk=\nb: !custom x\nc: !!timestamp 2026-01-01').value).toEqual({ a: 'aGk=', b: 'x', c: '2026-01-01' });
  });

  it('may be one of several, empty ones left out', () => {
    const first = documentOf('---\n---\na: 1\n---\n# nothing\n---\nb: 2\n');
    expect(first.documents.map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(first.value).toEqual({ a: 1 });
    expect(first.documents[1]?.positionOf(['b']).line).toBe(7);
  });

  it('may begin with a UTF-8 byte order mark', () => {
    expect(documentOf('\ufeffa: 1').value).toEqual({ a: 1 });
  });
});

describe('a position', () => {
  const { positionOf } = documentOf('x: &x\n  b: 1\n  q: [1, {z: 3}]\ny:\n  <<: *x\n  c: 2\nz: *x\nodd key: {a.b: 1}\n');
  const place = (path: readonly (string | number)[], of?: 'key' | 'value'): string => {
    const { file, line, column, path: text } = positionOf(path, of);
    return `${file}:${line}:${column} ${text ?? ''}`;
  };

  it.each([
    [['x', 'b'], 'value', 'x.yaml:2:6 x.b'],
    [['x', 'b'], 'key', 'x.yaml:2:3 x.b'],
    [['x', 'q', 1, 'z'], 'value', 'x.yaml:3:14 x.q[1].z'],
    [['y', 'b'], 'value', 'x.yaml:2:6 y.b'],
    [['z', 'q', 0], 'value', 'x.yaml:3:7 z.q[0]'],
    [['y', 'nothing', 'there'], 'value', 'x.yaml:5:3 y.nothing.there'],
    [['odd key', 'a.b'], 'key', 'x.yaml:8:11 ["odd key"]["a.b"]'],
    [[], 'value', 'x.yaml:1:1 '],
  ] as const)('of %j (%s) is %s', (path, of, expected) => {
    expect(place(path, of)).toBe(expected);
  });

  it('in large JSON is the same as in YAML, and large JSON keeps its large integers', () => {
    const padding = Array.from({ length: 40_000 }, (_, i) => `"item ${i}"`).join(',');
    const start = '{"a": {"b\\\\\\"}": [ ],\n "list": [1, {"z": {"y": "]"}} , -2.5e3, null],\n"e": {}}, "q]": "last"';
    const [small, large] = [documentOf(`${start}}`), documentOf(`${start}, "padding": [${padding}]}`)];
    const paths = [
      ['a'],
      ['a', 'b\\"}'],
      ['a', 'list', 0],
      ['a', 'list', 1, 'z', 'y'],
      ['a', 'list', 2],
      ['a', 'list', 3],
      ['a', 'list', 9],
      ['a', 'e', 'none'],
      ['q]'],
      [],
    ];
    for (const path of paths) {
      for (const of of ['key', 'value'] as const) expect(large.positionOf(path, of)).toEqual(small.positionOf(path, of));
    }
    expect(large.positionOf(['padding', 39_999]).column).toBeGreaterThan(500_000);
    const twice = documentOf(`{"k": 1,\n"k": 2, "padding": [${padding}]}`);
    expect([twice.value, twice.positionOf(['k']).line]).toEqual([expect.objectContaining({ k: 2 }), 2]);
    expect(documentOf(`{"list": [${padding}], "big": 9007199254740993}`).value).toMatchObject({ big: 9_007_199_254_740_993n });
  });
});

describe('text that cannot be read', () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...'bcdefghij'.split('').map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[i]}`).join(', ')}]`),
  ].join('\n');

  it.each([
    ['nothing', '', 'input.empty', 'x.yaml: the file is empty (0 bytes)'],
    ['only comments', '# a\n---\n', 'input.empty', 'x.yaml: the file holds nothing but comments or empty documents'],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x61, 0), 'input.not-utf8', 'x.yaml: is UTF-16 (little endian), not UTF-8. Save it as UTF-8'],
    [
      'a stray byte',
      Uint8Array.of(0x61, 0x0a, 0xef, 0xbf, 0xbd, 0xc3, 0x28),
      'input.not-utf8',
      'x.yaml:2: is not UTF-8 (0xc3) at byte 5. Give YAML or JSON text in UTF-8',
    ],
    [
      'binary',
      Uint8Array.of(0x61, 0, 0x62),
      'input.not-utf8',
      'x.yaml:1: is binary (a zero byte) at byte 1. Give YAML or JSON text in UTF-8',
    ],
    [
      'broken YAML',
      'a: [1, 2\nb: 3',
      'input.syntax',
      'x.yaml:2:1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['broken JSON', '{"a": 1', 'input.syntax', 'x.yaml:1:8: not valid YAML: Flow map must end with a }'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 'input.syntax', 'x.yaml:3:1: this key stands here twice. Keep one of the two'],
    ['tabs', 'a:\n\tb: 1', 'input.syntax', 'x.yaml:2:1: a tab is used as indentation. Indent with spaces'],
    ['an unknown anchor', 'a: *b', 'input.syntax', 'x.yaml:1:4: no anchor &b stands before the alias *b'],
    [
      "protobuf's text format",
      'node {\n  id: "a"\n}\nadmin {\n  access_log_path: "/dev/null"\n}\n',
      'input.syntax',
      "x.yaml:1:1: looks like protobuf's text format (node {). Give the same as YAML or JSON",
    ],
    [
      'a template that is no YAML',
      'a: 1\n{% for x in y %}\nb: 1\n{% endfor %}',
      'input.syntax',
      'x.yaml:2:1: looks like a template ({%). Render it first and give the result',
    ],
    [
      'a template that is YAML by accident',
      'a: 1\nb: {{ name }}',
      'input.syntax',
      'x.yaml:2:4: looks like a template ({{). Render it first and give the result',
    ],
    ['a key that is a list', '{[1]: 2}', 'input.syntax', 'x.yaml:1:2: a key must be a plain word, not a mapping or a list'],
    ['deep brackets', '['.repeat(100_000), 'input.syntax', 'x.yaml:1:201: is nested more than 200 levels deep'],
    ['deep dashes', '- '.repeat(5_000), 'input.syntax', 'x.yaml:1:400: is nested more than 200 levels deep'],
    ['deep large JSON', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'input.syntax', 'x.yaml: is nested more than 200 levels deep'],
    [
      'an alias inside itself',
      'a: &a [*a]',
      'input.syntax',
      'x.yaml: is nested more than 200 levels deep. Is an alias used inside its own anchor?',
    ],
    [
      'an alias bomb',
      bomb,
      'input.syntax',
      'x.yaml: its aliases (*name) stand for far more than the file holds. Write the values out, or use fewer aliases',
    ],
  ])('is one clear error for %s', (_, text, code, message) => {
    const error = errorOf(() => documentOf(text));
    expect(error).toMatchObject({ code, message, problems: [message] });
  });

  it('may hold braces in a string without being a template', () => {
    expect(documentOf('a: "{{ x }}"\nb: "%REQ({x})%"').value).toEqual({ a: '{{ x }}', b: '%REQ({x})%' });
  });
});

describe('a file', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fake-istiod-document-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('that is not there, or is a folder, is said so', () => {
    expect(errorOf(() => readDocument(join(folder, 'none.yaml')))).toMatchObject({
      code: 'input.unreadable',
      message: expect.stringContaining('none.yaml: no such file') as string,
    });
    expect(errorOf(() => readDocument(folder))).toMatchObject({
      code: 'input.unreadable',
      message: expect.stringContaining('is a directory') as string,
    });
  });

  it.skipIf(process.getuid?.() === 0)('that may not be read is said so', () => {
    const file = join(folder, 'secret.yaml');
    writeFileSync(file, 'a: 1');
    chmodSync(file, 0);
    expect(errorOf(() => readDocument(file))).toMatchObject({
      code: 'input.unreadable',
      message: expect.stringContaining('permission denied') as string,
    });
  });

  it('over the limit is refused, given by path or as bytes, and read below it', () => {
    const file = join(folder, 'large.yaml');
    writeFileSync(file, 'a: 1234');
    expect(errorOf(() => readDocument(file, { maxInputBytes: 6 }))).toMatchObject({
      code: 'input.too-large',
      message: expect.stringContaining('is 7 bytes, more than the limit of 6') as string,
    });
    expect(errorOf(() => readDocument({ name: 'x', bytes: new Uint8Array(7) }, { maxInputBytes: 6 })).code).toBe('input.too-large');
    expect(readDocument(file, { maxInputBytes: 7 }).value).toEqual({ a: 1234 });
  });
});
