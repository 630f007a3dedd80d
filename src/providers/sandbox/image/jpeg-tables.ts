/** JPEG's typical tables. Source: ITU T.81, Annex K. */
export interface HuffmanTable {
  /** The number of codes of each length, from 1 bit to 16. */
  readonly counts: readonly number[];
  /** In the order of their codes. */
  readonly symbols: readonly number[];
  readonly words: ReadonlyMap<number, readonly [word: number, length: number]>;
}

/** The zigzag order of a block's coefficients, as indexes by row. Source: figure A.6. */
export const zigzag: readonly number[] = Array.from({ length: 64 }, (_, place) => place).sort((a, b) => {
  const [one, other] = [diagonal(a), diagonal(b)];
  if (one !== other) return one - other;
  return one % 2 === 0 ? b - a : a - b;
});

function diagonal(place: number): number {
  return (place >> 3) + (place & 7);
}

/** Table K.1. */
export const lumaSteps: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

/** Table K.2. */
export const chromaSteps: readonly number[] = [
  [17, 18, 24, 47],
  [18, 21, 26, 66],
  [24, 26, 56, 99],
  [47, 66, 99, 99],
  [99, 99, 99, 99],
  [99, 99, 99, 99],
  [99, 99, 99, 99],
  [99, 99, 99, 99],
].flatMap((row) => [...row, 99, 99, 99, 99]);

/** Tables K.3 and K.4. */
const sizes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
export const dcLuma = table([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], sizes);
export const dcChroma = table([0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], sizes);

/** Table K.5. */
export const acLuma = table(
  [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d],
  hex(
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a' +
      '434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa' +
      'b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  ),
);

/** Table K.6. */
export const acChroma = table(
  [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77],
  hex(
    '0001020311040521310612415107617113223281081442' +
      '91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768' +
      '696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4' +
      'd5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
  ),
);

function hex(text: string): number[] {
  return [...Buffer.from(text, 'hex')];
}

/** Source: Annex C. */
function table(counts: readonly number[], symbols: readonly number[]): HuffmanTable {
  const words = new Map<number, readonly [number, number]>();
  let [word, at] = [0, 0];
  for (const [index, count] of counts.entries()) {
    for (let code = 0; code < count; code++) words.set(symbols[at++] ?? 0, [word++, index + 1]);
    word <<= 1;
  }
  return { counts, symbols, words };
}
