/** Numbers from 0 up to 1, the same ones for the same seed: one step of a 32-bit counter, scrambled (mulberry32). */
export type Random = () => number;

/** A household is found again by its seed only as long as these numbers stay the same. */
export function randomFrom(seed: string): Random {
  let state = hash(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function between(low: number, high: number, random: Random): number {
  return low + (high - low) * random();
}

export function pick<T>(from: readonly [T, ...T[]], random: Random): T {
  const picked = from[Math.floor(random() * from.length)];
  return picked === undefined ? from[0] : picked;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}
