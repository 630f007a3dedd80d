/** A seeded generator of numbers in [0, 1): mulberry32, seeded with the FNV-1a hash of a text. */
export function seededRandom(seed: string): () => number {
  let state = 2_166_136_261;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The Fisher–Yates shuffle, into a new array. */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled: T[] = [];
  for (const item of items) {
    const place = Math.floor(random() * (shuffled.length + 1));
    const displaced = shuffled[place];
    if (displaced !== undefined) shuffled.push(displaced);
    shuffled[place] = item;
  }
  return shuffled;
}
