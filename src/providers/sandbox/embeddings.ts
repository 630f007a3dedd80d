import { createHash } from 'node:crypto';
import { SluiceError } from '../../errors/index.ts';
import type { Send } from '../contract.ts';
import { toBase64 } from '../shared/embedding-vectors.ts';
import type { EmbeddingsRequest } from '../shared/embeddings-request.ts';
import { refuseOrDrop } from '../shared/parameters.ts';
import { answerLater } from './answer-later.ts';
import { requireModel } from './models.ts';
import { countTokens } from './tokens.ts';
import { wordsOf } from './words.ts';

export const SANDBOX_EMBEDDING_MODEL = 'embedding';

const USUAL_DIMENSIONS = 256;
const MOST_DIMENSIONS = 4_096;

/**
 * Embeddings of a bag of words: each word has a place and a sign by its hash. Texts that share words are near each other, so
 * that a similarity shows something. Of unit length, as OpenAI's are.
 */
export const sandboxEmbeddings: Send<EmbeddingsRequest> = ({ request, model, parameters }, receiver) => {
  requireModel(model, SANDBOX_EMBEDDING_MODEL);
  const untaken = request.input_type === null || request.input_type === undefined ? [] : ['input_type'];
  const dropped = refuseOrDrop('sandbox', untaken, parameters);
  const inputs = inputsOf(request.input);
  const dimensions = request.dimensions ?? USUAL_DIMENSIONS;
  if (dimensions > MOST_DIMENSIONS)
    throw new SluiceError('integer_above_max_value', { param: 'dimensions', values: { limit: MOST_DIMENSIONS } });
  answerLater(receiver, () => {
    const tokens = inputs.reduce((sum, input) => sum + input.tokens, 0);
    const data = inputs.map(({ words }, index) => {
      const vector = embed(words, dimensions);
      const embedding = request.encoding_format === 'base64' ? toBase64(vector) : [...vector];
      return { object: 'embedding', index, embedding };
    });
    return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  });
  return dropped;
};

interface Input {
  readonly words: readonly string[];
  readonly tokens: number;
}

function inputsOf(input: EmbeddingsRequest['input']): Input[] {
  if (typeof input === 'string') return [ofText(input)];
  if (input.every((item) => typeof item === 'number')) return [ofTokens(input)];
  return input.map((item) =>
    typeof item === 'string' ? ofText(item) : ofTokens(typeof item === 'number' ? [item] : item),
  );
}

function ofText(text: string): Input {
  return { words: wordsOf(text), tokens: countTokens(text) };
}

function ofTokens(tokens: readonly number[]): Input {
  return { words: tokens.map(String), tokens: tokens.length };
}

function embed(words: readonly string[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of words) {
    const digest = createHash('sha256').update(word).digest();
    for (let at = 0; at < 16; at += 4) {
      const bits = digest.readUInt32LE(at);
      const place = (bits >>> 1) % dimensions;
      vector[place] = (vector[place] ?? 0) + ((bits & 1) === 0 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.fill(0).fill(1, 0, 1) : vector.map((value) => value / length);
}
