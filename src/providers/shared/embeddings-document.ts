import { SluiceError } from '../../errors/index.ts';
import type { WholeAnswer } from './answer-promise.ts';
import { encodedVector, type VectorEncoding } from './embedding-vectors.ts';
import type { PartSize } from './embedding-inputs.ts';
import type { EmbeddingsRequest } from './embeddings-request.ts';

const MOST_TOKENS = 2_000_000_000;

/** What one call answered. */
export interface EmbeddedPart {
  /** In the order of the inputs; each numbers, or base64 of little-endian float32. */
  readonly vectors: readonly unknown[];
  /** As the provider told it; null where it did not. */
  readonly tokens: number | null;
}

/** A provider's count of tokens; null for what can be none. */
export function toldTokens(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : null;
}

export function encodingAsked({ encoding_format: format }: EmbeddingsRequest): VectorEncoding {
  return format ?? 'float';
}

/**
 * OpenAI's list of embeddings, of one call or of several in the order of their inputs. Tokens that a provider did not tell are
 * estimated, and `usage.estimated` says so. Source: OpenAI's API document, CreateEmbeddingResponse.
 * @throws SluiceError provider_invalid_response where there is not one embedding for each input
 */
export function embeddingsDocument(
  provider: string,
  model: string,
  encoding: VectorEncoding,
  parts: readonly { readonly size: PartSize; readonly answer: EmbeddedPart }[],
): WholeAnswer {
  const data: object[] = [];
  let tokens = 0;
  let estimated = false;
  for (const { size, answer } of parts) {
    if (answer.vectors.length !== size.inputs)
      throw new SluiceError('provider_invalid_response', {
        values: { provider },
        detail: `${answer.vectors.length} embeddings for ${size.inputs} inputs`,
      });
    for (const vector of answer.vectors)
      data.push({ object: 'embedding', index: data.length, embedding: encodedVector(provider, vector, encoding) });
    tokens += answer.tokens ?? size.estimatedTokens;
    estimated ||= answer.tokens === null;
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens, ...(estimated && { estimated }) };
  return { contentType: 'application/json', body: JSON.stringify({ object: 'list', data, model, usage }) };
}
