import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendRerank } from '../shared/openai-compatible/services/rerank.ts';

export const voyage = openAiShaped({
  id: 'voyage',
  providerAliases: ['voyageai'],
  name: 'Voyage AI',
  documentation: 'https://docs.voyageai.com/reference/embeddings-api',
  baseUrl: 'https://api.voyageai.com/v1',
  modelsPath: null,
  chats: false,
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, {
      maxInputs: 1_000,
      maxTokens: maxTokensFor,
      supportsTokens: false,
      encodes: false,
      dimensions: 'output_dimension',
      supportsUser: false,
      inputType: { name: 'input_type', values: { query: 'query', document: 'document' } },
    }),
    rerank: sendRerank(client, { topN: 'top_k', supportedParams: ['truncation'] }),
  }),
});

/** The maximum of one request. */
function maxTokensFor(model: string): number {
  if (/^voyage-[\d.]+-lite$/.test(model)) return 1_000_000;
  return /^voyage-(2|3\.5|4)$/.test(model) ? 320_000 : 120_000;
}
