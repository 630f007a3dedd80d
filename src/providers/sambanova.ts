import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';

export const sambanova = openAiShaped({
  id: 'sambanova',
  name: 'SambaNova',
  documentation: 'https://docs.sambanova.ai/docs/en/features/openai-compatibility',
  baseUrl: 'https://api.sambanova.ai/v1',
  ownServices: (place) => ({
    embeddings: sendEmbeddings(place, { takesTokens: false, encodes: false, takesUser: false, dimensions: null }),
  }),
});
