import { hash } from 'node:crypto';
import type { Clock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Send } from '../contract.ts';
import { toBase64 } from '../shared/embeddings/embedding-vectors.ts';
import type { EmbeddingsRequest } from '../shared/embeddings/embeddings-request.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { AnswerPump } from './chat/answer-pump.ts';
import { requireModel } from './models.ts';
import { countTokens } from './text/tokens.ts';
import type { Piece } from './wire.ts';
import { wordsOf } from './text/words.ts';

export const SANDBOX_EMBEDDING_MODEL = 'embedding';

const DEFAULT_DIMENSIONS = 256;
const MAX_DIMENSIONS = 4_096;
/** Yields to the event loop after each piece of a response. */
const [WORDS_PER_PIECE, NUMBERS_PER_PIECE] = [64, 512];

/**
 * Bag-of-words embeddings: each word has a position and a sign by its hash. Texts with common words are similar.
 * Normalized to length 1, like OpenAI's.
 */
export function sandboxEmbeddings(clock: Clock): Send<EmbeddingsRequest> {
  return ({ request, model, parameters }, receiver) => {
    requireModel(model, SANDBOX_EMBEDDING_MODEL);
    const unsupported = request.input_type === null || request.input_type === undefined ? [] : ['input_type'];
    const dropped = refuseOrDrop('sandbox', unsupported, parameters);
    const { dimensions } = request;
    if (typeof dimensions === 'number' && dimensions > MAX_DIMENSIONS)
      throw new SluiceError('integer_above_max_value', { param: 'dimensions', values: { limit: MAX_DIMENSIONS } });
    const pump = new AnswerPump(receiver, 0, clock);
    receiver.onConnecting(pump);
    receiver.onSent?.();
    pump.start(() => {
      receiver.onHead(200, { 'content-type': 'application/json' });
      return documentOf(request, model);
    });
    return dropped;
  };
}

/** OpenAI's list of embeddings, generated piece by piece. An empty piece only yields to the event loop. */
function* documentOf(request: EmbeddingsRequest, model: string): Generator<Piece> {
  const dimensions = request.dimensions ?? DEFAULT_DIMENSIONS;
  let tokens = 0;
  yield piece('{"object":"list","data":[');
  for (const [index, input] of inputsOf(request.input).entries()) {
    tokens += typeof input === 'string' ? countTokens(input) : input.length;
    const vector = yield* embed(typeof input === 'string' ? wordsOf(input) : input.map(String), dimensions);
    yield piece(`${index > 0 ? ',' : ''}{"object":"embedding","index":${index},"embedding":`);
    if (request.encoding_format === 'base64') yield piece(`"${toBase64(vector)}"`);
    else yield* numbers(vector);
    yield piece('}');
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  yield piece(`],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`);
}

function inputsOf(input: EmbeddingsRequest['input']): readonly (string | readonly number[])[] {
  if (typeof input === 'string') return [input];
  if (input.every((item) => typeof item === 'number')) return [input];
  return input.map((item) => (typeof item === 'number' ? [item] : item));
}

function* embed(words: Iterable<string>, dimensions: number): Generator<Piece, Float32Array> {
  const vector = new Float32Array(dimensions);
  let count = 0;
  for (const word of words) {
    const digest = hash('sha256', word, 'buffer');
    for (let at = 0; at < 16; at += 4) {
      const bits = digest.readUInt32LE(at);
      const place = (bits >>> 1) % dimensions;
      vector[place] = (vector[place] ?? 0) + ((bits & 1) === 0 ? 1 : -1);
    }
    if (++count % WORDS_PER_PIECE === 0) yield piece('');
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.fill(0).fill(1, 0, 1) : vector.map((value) => value / length);
}

function* numbers(vector: Float32Array): Generator<Piece> {
  for (let at = 0; at < vector.length; at += NUMBERS_PER_PIECE)
    yield piece((at === 0 ? '[' : ',') + vector.subarray(at, at + NUMBERS_PER_PIECE).join(','));
  yield piece(']');
}

const piece = (text: string): Piece => ({ text, tokens: 0 });
