// The fenced code blocks of a Markdown page.
const fence = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm;

/** `{ language, code, words }` of each fenced block with a language, in order; `words` are those after the language. */
export function codeBlocks(markdown) {
  return [...markdown.matchAll(fence)].map(([, language, words, code]) => ({
    language,
    code,
    words: words.trim().split(' ').filter(Boolean),
  }));
}
