import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { falVideo } from './video.ts';
import { falImages } from './images.ts';

export const fal = aiSdkProvider({
  id: 'fal',
  name: 'fal',
  documentation: 'https://docs.fal.ai/model-apis',
  catalogueSources: { mediaPrices: 'fal-ai' },
  baseUrl: 'https://fal.run',
  needsKey: true,
  kinds: ['image', 'video', 'speech', 'transcription'],
  images: falImages,
  video: falVideo,
  load: async ({ settings, apiKey, fetch }) => {
    const { createFal } = await import('@ai-sdk/fal');
    const provider = createFal({ apiKey, fetch, baseURL: settings.baseUrl });
    return {
      image: (model) => provider.image(model),
      video: (model) => provider.video(model),
      speech: (model) => provider.speech(model),
      transcription: (model) => provider.transcription(model),
    };
  },
});
