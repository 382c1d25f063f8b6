// Chance that can be had again: the same seed, the same bytes.

/** @param {number} seed any number; its low 32 bits count */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from 0 to below `end`. */
  const below = (end) => Math.floor(next() * end);
  const bytes = (length) => {
    const made = Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) made[i] = below(256);
    return made;
  };
  return {
    below,
    bytes,
    /** True in one of `of` cases. */
    once: (of) => below(of) === 0,
    pick: (list) => list[below(list.length)],
    /** Mostly small, at times as large as `most`. */
    size: (most) => Math.floor(most ** next()),
    /** Bytes as text, which no UTF-8 need be. */
    text: (length) => bytes(length).toString('latin1'),
  };
}
