import { describe, expect, it } from 'vitest';
import { joinOutput, outputSize } from '../../../src/gateway/relayed-output.ts';
import type { StreamPart } from '../../../src/protocols/canonical/stream-part.ts';

const token = { token: 'a', logprob: -1, bytes: [97] };
const text: StreamPart = { type: 'text', choice: 0, text: 'a', logprobs: [] };

describe('output on its way to the client', () => {
  it('counts log probabilities, of which a token may have many', () => {
    const likely: StreamPart = {
      ...text,
      logprobs: [{ ...token, top_logprobs: Array.from({ length: 20 }, () => token) }],
    };
    expect(outputSize([likely]) - outputSize([text])).toBeGreaterThan(2_000);
  });

  it('counts an image by its data', () => {
    const image: StreamPart = { type: 'image', choice: 0, url: `data:image/png;base64,${'A'.repeat(1_000_000)}` };
    expect(outputSize([image])).toBeGreaterThan(1_000_000);
  });

  it('is joined in its order, and never drops a part', () => {
    expect(joinOutput([])).toBeNull();
    expect(joinOutput([Buffer.from('a'), Buffer.from('b')])).toEqual(Buffer.from('ab'));
    expect(joinOutput([[text], [text]])).toEqual([text, text]);
    expect(() => joinOutput([Buffer.from('a'), [text]])).toThrow('either bytes or parts');
  });
});
