import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { sendRerank } from './openai-compatible/rerank.ts';

export const fireworks = openAiShaped({
  id: 'fireworks',
  providerAliases: ['fireworks-ai', 'fireworks_ai'],
  name: 'Fireworks AI',
  documentation: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  ownServices: (place) => ({
    embeddings: sendEmbeddings(place, { takesTokens: false, encodes: false, takesUser: false }),
    rerank: sendRerank(place),
  }),
});
