import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { sendRerank } from './openai-compatible/rerank.ts';

export const jina = openAiShaped({
  id: 'jina',
  providerAliases: ['jina-ai', 'jina_ai'],
  name: 'Jina AI',
  documentation: 'https://api.jina.ai/redoc',
  baseUrl: 'https://api.jina.ai/v1',
  modelsPath: null,
  chats: false,
  ownServices: (place) => ({
    embeddings: sendEmbeddings(place, {
      mostInputs: 2_048,
      takesTokens: false,
      encodes: false,
      takesUser: false,
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
    rerank: sendRerank(place),
  }),
});
