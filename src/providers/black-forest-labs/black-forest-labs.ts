import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { blackForestLabsImages } from './images.ts';

export const blackForestLabs = aiSdkProvider({
  id: 'black-forest-labs',
  name: 'Black Forest Labs',
  documentation: 'https://docs.bfl.ai/api-reference',
  baseUrl: 'https://api.bfl.ai/v1',
  needsKey: true,
  kinds: ['image', 'video'],
  images: blackForestLabsImages,
  load: async ({ settings, apiKey, fetch }) => {
    const { createBlackForestLabs } = await import('@ai-sdk/black-forest-labs');
    const provider = createBlackForestLabs({ apiKey, fetch, baseURL: settings.baseUrl });
    return {
      image: (model) => provider.image(model),
      video: (model) => provider.video(model),
    };
  },
});
