/** Colours by what they mean. */
export interface Palette {
  good(text: string): string;
  bad(text: string): string;
  incoming(text: string): string;
  outgoing(text: string): string;
  script(text: string): string;
  strong(text: string): string;
  quiet(text: string): string;
}

const codes = { good: 32, bad: 31, incoming: 36, outgoing: 34, script: 35, strong: 1, quiet: 2 } as const;

/** ANSI colours, or none. */
export function palette(colour: boolean): Palette {
  const paint = (code: number) => (text: string) => (colour && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text);
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, paint(code)])) as unknown as Palette;
}
