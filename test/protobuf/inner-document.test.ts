import { describe, expect, it } from 'vitest';
import { FakeIstiodError, type SourcePosition } from '../../src/errors.ts';
import { readDocument, readEachDocument, type SourceDocument } from '../../src/protobuf/document.ts';
import { readInnerDocument } from '../../src/protobuf/inner-document.ts';

const read = (text: string): SourceDocument => readDocument({ name: 'f.yaml', bytes: Buffer.from(text) });

/** The character of `text` at a place. */
function charAt(text: string, { line = 0, column = 0 }: SourcePosition): string {
  return text.split('\n')[line - 1]?.[column - 1] ?? '';
}

describe('a document inside a document', () => {
  it.each([
    ['a literal block', 'data:\n  mesh: |-\n    a: 1\n\n    b:\n      c: [x, Y]\n'],
    ['a literal block with its own indentation', 'data:\n  mesh: |4\n        a: 1\n        b: {c: [x, Y]}\n'],
    ['double quotes', 'data:\n  mesh: "a: \\"1\\"\\nb:\\n\\\n    \\  c: [x, Y]\\n"\n'],
    ['double quotes over blank lines', 'data:\n  mesh: "a: 1\n\n    b:\n\n    \\  c: [x, Y]"\n'],
    ['characters by number', 'data:\n  mesh: "{a: \\u00e4\\x41\\U0001F600, b: {c: [x, Y]}}"\n'],
    ['single quotes', "data:\n  mesh: '{a: ''1'', b: {c: [x, Y]}}'\n"],
    ['JSON', '{"data":{"mesh":"{\\"b\\":{\\"c\\":[1,Y]}}"}}'],
  ])('tells places in the file that holds it: %s', (_, text) => {
    const inner = readInnerDocument(read(text), ['data', 'mesh']);
    const at = inner?.positionOf(['b', 'c', 1]);
    expect(charAt(text, at ?? { file: '' })).toBe('Y');
  });

  it('names both paths', () => {
    const inner = readInnerDocument(read('data: {"a.b": "c: {d: 1}"}'), ['data', 'a.b']);
    expect(inner?.positionOf(['c', 'd']).path).toBe('data["a.b"] > c.d');
  });

  it('points at a fault with line and column of the outer file', () => {
    const text = 'a:\n  b: |\n    x: 1\n    y: [1\n    z: 2\n';
    const error: unknown = (() => {
      try {
        return readInnerDocument(read(text), ['a', 'b']);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(FakeIstiodError);
    expect((error as FakeIstiodError).problems[0]?.at).toMatchObject({ file: 'f.yaml', line: 5, path: 'a.b' });
  });

  it('is nothing if the text is empty, and not there if there is no text', () => {
    expect(readInnerDocument(read('a: ""'), ['a'])?.value).toBeNull();
    expect(readInnerDocument(read('a: "# only this"'), ['a'])?.value).toBeNull();
    expect(readInnerDocument(read('a: {}'), ['a'])).toBeUndefined();
    expect(readInnerDocument(read('a: 1'), ['b'])).toBeUndefined();
  });

  it('is found in large JSON as well', () => {
    const text = JSON.stringify({ pad: 'x'.repeat(300_000), data: { mesh: 'a: "1"\nb:\n  - Y\n' } }, undefined, 1);
    const at = readInnerDocument(read(text), ['data', 'mesh'])?.positionOf(['b', 0]) ?? { file: '' };
    expect(charAt(text, at)).toBe('Y');
  });

  it('goes to the place of the whole text where lines are folded', () => {
    const inner = readInnerDocument(read('a:\n  b: >\n    {x: 1,\n    y: 2}\n'), ['a', 'b']);
    expect(inner?.positionOf(['y'])).toMatchObject({ line: 2, column: 6 });
  });
});

describe('a stream of documents', () => {
  const each = (text: string): ReturnType<typeof readEachDocument> => readEachDocument({ name: 'f.yaml', bytes: Buffer.from(text) });

  it('loses only the document that is broken', () => {
    const { documents, problems } = each('a: 1\n---\nb: [1\n---\nc: "x\n---\nd: 2\n---\n');
    expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, { d: 2 }]);
    expect(problems.map(({ at }) => at?.line)).toEqual([4, 6]);
  });

  it('is an error if all of it is broken or empty', () => {
    expect(() => each('a: [1\n---\nb: [2\n')).toThrow('not valid YAML');
    expect(() => each('---\n# nothing\n---\n')).toThrow('nothing but comments');
  });
});
