import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import { compileValidator, type Validator } from '../canonical/validation/compile-validator.ts';
import { camelCased } from './decode-request/camel-case.ts';

/** Of a batch. */
export const MAX_REQUESTS = 2_048;

/** Source: ai.google.dev/api/embeddings, EmbedContentRequest. */
export const geminiEmbeddingSchema = z.looseObject({
  content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string() })).min(1) }),
  taskType: z.string().nullish(),
  title: z.string().nullish(),
  outputDimensionality: z.int().min(1).nullish(),
});
/** Source: ai.google.dev/api/embeddings, BatchEmbedContentsRequest. */
export const geminiBatchEmbeddingSchema = z.looseObject({
  requests: z.array(geminiEmbeddingSchema).min(1).max(MAX_REQUESTS),
});
export type EmbedContent = z.infer<typeof geminiEmbeddingSchema>;

const assertOne: Validator<EmbedContent> = compileValidator(geminiEmbeddingSchema);
const assertBatch: Validator<z.infer<typeof geminiBatchEmbeddingSchema>> = compileValidator(geminiBatchEmbeddingSchema);

/** The task types that other providers have, too, by their names. */
const inputTypes: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'query',
  RETRIEVAL_DOCUMENT: 'document',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
};

/** Texts to embed, and how. */
export interface DecodedEmbeddings {
  readonly texts: readonly string[];
  readonly dimensions: number | null;
  /** As OpenAI's clients name it; null where only Google has it. */
  readonly inputType: string | null;
  /** Google's own members. */
  readonly taskType: string | null;
  /** One for each text; null where none has a title. */
  readonly titles: readonly (string | null)[] | null;
}

/**
 * Decodes the body of `embedContent`, or of `batchEmbedContents`, whose requests must have the same settings.
 * @throws SluiceError of status 400, naming the invalid member
 */
export function decodeGeminiEmbeddings(body: unknown, isBatch: boolean): DecodedEmbeddings {
  const requests = embedContents(body, isBatch);
  requireSameSettings(requests);
  return decoded(requests);
}

/**
 * The requests of the same body, with the names of members in camel case.
 * @throws SluiceError of status 400, naming the invalid member
 */
export function embedContents(body: unknown, isBatch: boolean): readonly EmbedContent[] {
  const value = camelCased(body);
  if (!isBatch) {
    assertOne(value);
    return [value];
  }
  assertBatch(value);
  return value.requests;
}

export function textOfContent({ content }: EmbedContent): string {
  return content.parts.map(({ text }) => text).join('');
}

function decoded(requests: readonly EmbedContent[]): DecodedEmbeddings {
  const { taskType, outputDimensionality } = requests[0] ?? {};
  const titles = requests.map(({ title }) => title ?? null);
  return {
    texts: requests.map(textOfContent),
    dimensions: outputDimensionality ?? null,
    inputType: inputTypes[taskType ?? ''] ?? null,
    taskType: taskType ?? null,
    titles: titles.some((title) => title !== null) ? titles : null,
  };
}

/** One request to a provider has one setting of each. @throws SluiceError invalid_value */
function requireSameSettings(requests: readonly EmbedContent[]): void {
  for (const name of ['taskType', 'outputDimensionality'] as const) {
    const at = requests.findIndex((request) => (request[name] ?? null) !== (requests[0]?.[name] ?? null));
    if (at >= 0)
      throw new SluiceError('invalid_value', {
        param: `requests[${at}].${name}`,
        values: { reason: 'it must be the same for all requests.' },
      });
  }
}
