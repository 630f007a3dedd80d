import type { CallLimits } from '../shared/embeddings/embedding-inputs.ts';
import type { InputType } from '../shared/embeddings/input-type.ts';
import type { EmbeddingsDialect } from '../bridge/services/embeddings.ts';

const taskTypes: Readonly<Record<InputType, string>> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/**
 * Of one call. Source: docs.cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings: 20,000 tokens per
 * request, and `gemini-embedding-001` accepts one text.
 */
export function vertexLimits(model: string): Partial<CallLimits> {
  return { tokens: 20_000, ...(model === 'gemini-embedding-001' && { inputs: 1 }) };
}

/** How its embeddings differ from those of other packages. */
export const vertexEmbeddings: EmbeddingsDialect = {
  supportedParams: () => ['dimensions', 'input_type'],
  limits: vertexLimits,
  options: ({ dimensions, inputType }) => ({
    googleVertex: {
      ...(dimensions !== null && { outputDimensionality: dimensions }),
      ...(inputType !== null && { taskType: taskTypes[inputType] }),
    },
  }),
};
