import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { sendRerank } from './openai-compatible/rerank.ts';

export const voyage = openAiShaped({
  id: 'voyage',
  providerAliases: ['voyageai'],
  name: 'Voyage AI',
  documentation: 'https://docs.voyageai.com/reference/embeddings-api',
  baseUrl: 'https://api.voyageai.com/v1',
  modelsPath: null,
  chats: false,
  ownServices: (place) => ({
    embeddings: sendEmbeddings(place, {
      mostInputs: 1_000,
      mostTokens,
      takesTokens: false,
      encodes: false,
      dimensions: 'output_dimension',
      takesUser: false,
      inputType: { name: 'input_type', values: { query: 'query', document: 'document' } },
    }),
    rerank: sendRerank(place, { topN: 'top_k', takes: ['truncation'] }),
  }),
});

/** Of one call, by the model. */
function mostTokens(model: string): number {
  if (/^voyage-[\d.]+-lite$/.test(model)) return 1_000_000;
  return /^voyage-(2|3\.5|4)$/.test(model) ? 320_000 : 120_000;
}
