import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { sendImages } from '../shared/openai-compatible/services/images.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const nebius = openAiShaped({
  id: 'nebius',
  name: 'Nebius',
  documentation: 'https://docs.tokenfactory.nebius.com/api-reference/introduction',
  baseUrl: 'https://api.tokenfactory.nebius.com/v1',
  customServices: (client) => ({
    images: sendImages(client, { streams: false, requestsBase64: true }),
    embeddings: sendEmbeddings(client, { encodes: false }),
  }),
});
