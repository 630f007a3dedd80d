import { SluiceError } from '../../../errors/index.ts';
import type { CompleteAnswer } from '../http/answer-promise.ts';
import { encodedVector, type VectorEncoding } from './embedding-vectors.ts';
import type { PartSize } from './embedding-inputs.ts';
import type { EmbeddingsRequest } from './embeddings-request.ts';
import { yieldPeriodically } from '../jobs/yield-periodically.ts';

const MAX_TOKENS = 2_000_000_000;

/** The response of one call. */
export interface EmbeddedPart {
  /** In the order of the inputs; each numbers, or base64 of little-endian float32. */
  readonly vectors: readonly unknown[];
  /** As reported by the provider; null if it is not. */
  readonly tokens: number | null;
}

/** A provider's token count; null if it is invalid. */
export function readTokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : null;
}

export function requestedEncoding({ encoding_format: format }: EmbeddingsRequest): VectorEncoding {
  return format ?? 'float';
}

/**
 * OpenAI's list of embeddings, of one call or of several in the order of their inputs. Tokens that a provider does not
 * report are estimated and marked with `usage.estimated`. Source: OpenAI's API document, CreateEmbeddingResponse.
 * @throws SluiceError provider_invalid_response unless there is one embedding for each input
 */
export async function embeddingsDocument(
  provider: string,
  model: string,
  encoding: VectorEncoding,
  parts: readonly { readonly size: PartSize; readonly answer: EmbeddedPart }[],
): Promise<CompleteAnswer> {
  const turn = yieldPeriodically();
  const pieces: Buffer[] = [];
  let index = 0;
  let tokens = 0;
  let estimated = false;
  for (const { size, answer } of parts) {
    if (answer.vectors.length !== size.inputs)
      throw new SluiceError('provider_invalid_response', {
        values: { provider },
        detail: `${answer.vectors.length} embeddings for ${size.inputs} inputs`,
      });
    for (const vector of answer.vectors) {
      await turn();
      const item = { object: 'embedding', index, embedding: encodedVector(provider, vector, encoding) };
      pieces.push(Buffer.from((index++ === 0 ? '{"object":"list","data":[' : ',') + JSON.stringify(item)));
    }
    tokens += answer.tokens ?? size.estimatedTokens;
    estimated ||= answer.tokens === null;
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens, ...(estimated && { estimated }) };
  pieces.push(Buffer.from(`],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`));
  return { contentType: 'application/json', body: Buffer.concat(pieces) };
}
