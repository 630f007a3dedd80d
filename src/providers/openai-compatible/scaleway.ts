import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

// Unverified: no recorded response was at hand.
export const scaleway = openAiShaped({
  id: 'scaleway',
  name: 'Scaleway',
  documentation: 'https://www.scaleway.com/en/docs/generative-apis/api-cli/using-chat-api/',
  baseUrl: 'https://api.scaleway.ai/v1',
  renames: { max_completion_tokens: 'max_tokens' },
  unsupportedParams: ['frequency_penalty', 'logit_bias', 'n', 'top_logprobs', 'user'],
  // Source: www.scaleway.com/en/docs/generative-apis/api-cli/using-embeddings-api.
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, {
      supportsTokens: false,
      encodes: false,
      dimensions: null,
      supportsUser: false,
    }),
  }),
});
