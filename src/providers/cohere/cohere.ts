import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { listCohereModels } from './model-listing.ts';
import { cohereEmbeddings, cohereRerank } from '../bridge/services/cohere-retrieval.ts';

const id = 'cohere';
const baseUrl = 'https://api.cohere.com/v2';

export const cohere = aiSdkProvider({
  id,
  name: 'Cohere',
  documentation: 'https://docs.cohere.com/reference/chat',
  catalogueSources: { mediaPrices: 'cohere' },
  baseUrl,
  needsKey: true,
  kinds: ['chat', 'embedding', 'rerank'],
  load: async ({ settings, apiKey, fetch }) => {
    const { createCohere } = await import('@ai-sdk/cohere');
    const provider = createCohere({ apiKey, baseURL: settings.baseUrl ?? baseUrl, fetch });
    return {
      chat: (model) => provider.languageModel(model),
      embedding: (model) => provider.embeddingModel(model),
      rerank: (model) => provider.rerankingModel(model),
    };
  },
  chat: () => ({
    supportedParams: ['presence_penalty', 'frequency_penalty', 'seed'],
    reasoning: null,
    supportsInterleavedInstructions: true,
    requiresToolsForCalls: false,
    // The package sends every other file as the text of a document.
    supportsFile: (mediaType) => mediaType.startsWith('image/') || mediaType.startsWith('text/'),
    fetchesImages: true,
  }),
  embeddings: cohereEmbeddings,
  rerank: cohereRerank,
  listModels: (means) => listCohereModels(id, means.settings.baseUrl ?? baseUrl, means),
});
