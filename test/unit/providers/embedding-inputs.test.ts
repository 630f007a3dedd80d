import { describe, expect, it } from 'vitest';
import { splitInputs, type EmbeddingInput } from '../../../src/providers/shared/embeddings/embedding-inputs.ts';

const long = 'x'.repeat(100);

describe('a list of inputs', () => {
  it.each<
    [how: string, inputs: EmbeddingInput[], limits: { inputs: number; tokens: number }, parts: EmbeddingInput[][]]
  >([
    ['by their number', ['a', 'b', 'c'], { inputs: 2, tokens: Infinity }, [['a', 'b'], ['c']]],
    [
      'by their tokens',
      [[1, 2], [3, 4], [5]],
      { inputs: 10, tokens: 4 },
      [
        [
          [1, 2],
          [3, 4],
        ],
        [[5]],
      ],
    ],
    ['with what is too long by itself alone', [long, 'a'], { inputs: 10, tokens: 4 }, [[long], ['a']]],
    ['not at all where it fits', ['a', 'b'], { inputs: 2, tokens: 100 }, [['a', 'b']]],
  ])('is split %s', (_how, inputs, limits, parts) => {
    expect(splitInputs(inputs, limits)).toEqual(parts);
  });
});
