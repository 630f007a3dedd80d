import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendRerank } from '../shared/openai-compatible/services/rerank.ts';

export const fireworks = openAiShaped({
  id: 'fireworks',
  providerAliases: ['fireworks-ai', 'fireworks_ai'],
  name: 'Fireworks AI',
  documentation: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
  catalogueSources: { modelsDev: ['fireworks-ai'], mediaPrices: 'fireworks-ai' },
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  completions: true,
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, { supportsTokens: false, encodes: false, supportsUser: false }),
    rerank: sendRerank(client),
  }),
});
