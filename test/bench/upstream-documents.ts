import { Sequence } from './realistic/texts.ts';

/** Answers of the provider that are no chat, by path. */
export const TRANSCRIPTIONS = /\/audio\/transcriptions$/;
export const EMBEDDINGS = /\/embeddings$/;

const DIMENSIONS = 1_536;
const INPUTS = 100;

export const transcript = Buffer.from(JSON.stringify({ text: 'Hello.', usage: { type: 'duration', seconds: 819 } }));

/** 100 embeddings, as numbers (2 MB) and as base64 (820 kB). */
export const embeddings = { numbers: document((vector) => [...vector]), base64: document(base64Of) };

function document(encode: (vector: Float32Array) => unknown): Buffer {
  const sequence = new Sequence(7);
  const data = Array.from({ length: INPUTS }, (_, index) => {
    // As OpenAI writes them: with some nine digits.
    const vector = Float32Array.from({ length: DIMENSIONS }, () => sequence.below(2 ** 31) / 2 ** 34 - 0.0625);
    return { object: 'embedding', index, embedding: encode(vector) };
  });
  return Buffer.from(
    JSON.stringify(
      {
        object: 'list',
        data,
        model: 'text-embedding-3-small',
        usage: { prompt_tokens: 16_000, total_tokens: 16_000 },
      },
      (_, value: unknown) => (typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(9)) : value),
    ),
  );
}

function base64Of(vector: Float32Array): string {
  return Buffer.from(vector.buffer).toString('base64');
}
