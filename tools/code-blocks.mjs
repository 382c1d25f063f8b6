// The fenced code blocks of a Markdown page.
const fence = /^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm;

/** `{ language, code }` of each fenced block with a language, in order. */
export function codeBlocks(markdown) {
  return [...markdown.matchAll(fence)].map(([, language, code]) => ({ language, code }));
}
