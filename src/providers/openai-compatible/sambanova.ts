import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const sambanova = openAiShaped({
  id: 'sambanova',
  name: 'SambaNova',
  documentation: 'https://docs.sambanova.ai/docs/en/features/openai-compatibility',
  baseUrl: 'https://api.sambanova.ai/v1',
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, {
      supportsTokens: false,
      encodes: false,
      supportsUser: false,
      dimensions: null,
    }),
  }),
});
