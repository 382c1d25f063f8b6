/** One block of a PEM text (RFC 7468). */
export interface PemBlock {
  /** What it says it is, e.g. `CERTIFICATE`. */
  readonly label: string;
  readonly der: Uint8Array;
  /** The block as it stands, with one line end after it. */
  readonly text: string;
}

const beginning = /-----BEGIN ([A-Z0-9 ]*)-----/g;

/** The blocks of a text in their order; what stands around them, or is no base64, is passed over. Takes time linear in the text. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  beginning.lastIndex = 0;
  for (let begin = beginning.exec(text); begin; begin = beginning.exec(text)) {
    const label = begin[1] ?? '';
    const end = text.indexOf('-----END ', beginning.lastIndex);
    if (end === -1) break;
    const trailer = `-----END ${label}-----`;
    if (!text.startsWith(trailer, end)) continue;
    const body = text.slice(beginning.lastIndex, end).replace(/\s/g, '');
    beginning.lastIndex = end + trailer.length;
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body)) continue;
    blocks.push({ label, der: Buffer.from(body, 'base64'), text: `${text.slice(begin.index, beginning.lastIndex)}\n` });
  }
  return blocks;
}

/** The certificates of a text, each a PEM with a line end after it. */
export function certificatePems(text: string): readonly string[] {
  return pemBlocks(text)
    .filter(({ label }) => label === 'CERTIFICATE')
    .map((block) => block.text);
}
