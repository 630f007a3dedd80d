import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { sendImages } from './openai-compatible/images.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';

export const nebius = openAiShaped({
  id: 'nebius',
  name: 'Nebius',
  documentation: 'https://docs.tokenfactory.nebius.com/api-reference/introduction',
  baseUrl: 'https://api.tokenfactory.nebius.com/v1',
  ownServices: (place) => ({
    images: sendImages(place, { streams: false, asksBase64: true }),
    embeddings: sendEmbeddings(place, { encodes: false }),
  }),
});
