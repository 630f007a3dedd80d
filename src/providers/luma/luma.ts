import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { lumaVideo } from './video.ts';
import { lumaImages } from './images.ts';

export const luma = aiSdkProvider({
  id: 'luma',
  name: 'Luma',
  documentation: 'https://docs.lumalabs.ai/reference',
  baseUrl: 'https://api.lumalabs.ai',
  needsKey: true,
  kinds: ['image'],
  images: lumaImages,
  video: lumaVideo,
  load: async ({ settings, apiKey, fetch }) => {
    const { createLuma } = await import('@ai-sdk/luma');
    const provider = createLuma({ apiKey, fetch, baseURL: settings.baseUrl });
    return {
      image: (model) => provider.image(model),
    };
  },
});
