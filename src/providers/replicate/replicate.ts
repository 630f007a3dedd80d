import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { replicateVideo } from './video.ts';
import { replicateImages } from './images.ts';

export const replicate = aiSdkProvider({
  id: 'replicate',
  name: 'Replicate',
  documentation: 'https://replicate.com/docs/reference/http',
  baseUrl: 'https://api.replicate.com/v1',
  needsKey: true,
  kinds: ['image', 'video'],
  images: replicateImages,
  video: replicateVideo,
  load: async ({ settings, apiKey, fetch }) => {
    const { createReplicate } = await import('@ai-sdk/replicate');
    const provider = createReplicate({ apiToken: apiKey, fetch, baseURL: settings.baseUrl });
    return {
      image: (model) => provider.image(model),
      video: (model) => provider.video(model),
    };
  },
});
