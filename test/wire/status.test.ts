import { describe, expect, it } from 'vitest';
import { encodeStatusText } from '../../src/wire/status.ts';

describe('a status text', () => {
  it('keeps spaces, quotes and brackets as they are', () => {
    expect(encodeStatusText('no identities ("spiffe://x/ns/a") matched [a/b] {c} <d>')).toBe(
      'no identities ("spiffe://x/ns/a") matched [a/b] {c} <d>',
    );
  });

  it.each([
    ['a percent sign', '100% sure', '100%25 sure'],
    ['a line break and a tab', 'a\r\n\tb', 'a%0D%0A%09b'],
    ['what is not ASCII, byte by byte of its UTF-8', 'größer – 😀', 'gr%C3%B6%C3%9Fer %E2%80%93 %F0%9F%98%80'],
    ['spaces at the ends, which HTTP/2 would not carry', ' a b ', '%20a b%20'],
    ['a space at the end alone', 'a b ', 'a b%20'],
    ['the delete character and NUL', '\u007f\u0000', '%7F%00'],
  ])('encodes %s', (_what, text, encoded) => {
    expect(encodeStatusText(text)).toBe(encoded);
    expect(decodeURIComponent(encoded)).toBe(text);
  });
});
