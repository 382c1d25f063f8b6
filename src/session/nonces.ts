import { randomUUID } from 'node:crypto';

/** The part of a UUID that counts, in hexadecimal digits. */
const counting = 12;
/** For so many versions and types it is known how their nonces begin; who comes back to an older one gets others. */
const kept = 256;
/** A type of a longer name is none that is pushed to many. */
const longestKeptUrl = 256;

interface Row {
  /** The version and all of the UUID but its last group. */
  readonly prefix: string;
  readonly first: number;
}

/**
 * Nonces in istiod's form, version and UUID without a separator. Streams that are sent the same version of a type for the nth time get the same
 * nonce, so that one message does for all of them; on one stream none comes twice, which is all that xDS asks.
 */
export class Nonces {
  private readonly rows = new Map<string, Row>();

  /** @param last the nonce of the response that the stream was sent before, of this type */
  next(version: string, typeUrl: string, last: string | undefined): string {
    const { prefix, first } = this.rowOf(version, typeUrl);
    const place = last?.startsWith(prefix) ? Number.parseInt(last.slice(prefix.length), 16) - first + 1 : 0;
    return `${prefix}${(first + place).toString(16).padStart(counting, '0')}`;
  }

  private rowOf(version: string, typeUrl: string): Row {
    const key = `${version} ${typeUrl}`;
    const known = this.rows.get(key);
    if (known) return known;
    const uuid = randomUUID();
    // Half of the range lies above it: that is never used up.
    const first = Number.parseInt(uuid.slice(-counting), 16) % 2 ** 47;
    const row = { prefix: `${version}${uuid.slice(0, -counting)}`, first };
    if (typeUrl.length > longestKeptUrl) return row;
    this.rows.set(key, row);
    if (this.rows.size > kept) this.rows.delete(this.rows.keys().next().value as string);
    return row;
  }
}
