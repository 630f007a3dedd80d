import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendRerank } from '../shared/openai-compatible/services/rerank.ts';

export const jina = openAiShaped({
  id: 'jina',
  providerAliases: ['jina-ai', 'jina_ai'],
  name: 'Jina AI',
  documentation: 'https://api.jina.ai/redoc',
  catalogueSources: { mediaPrices: 'jina' },
  baseUrl: 'https://api.jina.ai/v1',
  modelsPath: null,
  chats: false,
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, {
      maxInputs: 2_048,
      supportsTokens: false,
      encodes: false,
      supportsUser: false,
      inputType: {
        name: 'task',
        values: {
          query: 'retrieval.query',
          document: 'retrieval.passage',
          classification: 'classification',
          clustering: 'separation',
        },
      },
    }),
    rerank: sendRerank(client),
  }),
});
