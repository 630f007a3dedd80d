import type { EmbeddingsShape } from '../shared/openai-compatible/services/embeddings.ts';

/**
 * Source: docs.mistral.ai/api/endpoint/embeddings. The limits are known from its errors: "Too many tokens in batch. Max
 * is 16384".
 */
export const mistralEmbeddings: EmbeddingsShape = {
  maxInputs: 128,
  maxTokens: 16_384,
  supportsTokens: false,
  encodes: false,
  dimensions: 'output_dimension',
  supportsUser: false,
};
