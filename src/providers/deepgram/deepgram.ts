import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { rebasedFetch } from '../bridge/package/rebased-fetch.ts';
import { deepgramSpeech } from './speech.ts';
import { deepgramTranscription } from './transcription.ts';
import { readServiceError } from '../shared/http/service-error.ts';

const baseUrl = 'https://api.deepgram.com';

export const deepgram = aiSdkProvider({
  id: 'deepgram',
  name: 'Deepgram',
  documentation: 'https://developers.deepgram.com/reference',
  catalogueSources: { mediaPrices: 'deepgram' },
  baseUrl,
  needsKey: true,
  kinds: ['speech', 'transcription'],
  native: {
    authorization: (key) => ['authorization', `Token ${key}`],
    readError: readServiceError,
    services: (upstream) => ({ speech: deepgramSpeech(upstream), transcription: deepgramTranscription(upstream) }),
  },
  load: async ({ settings, apiKey, fetch }) => {
    const { createDeepgram } = await import('@ai-sdk/deepgram');
    const provider = createDeepgram({ apiKey, fetch: rebasedFetch(fetch, baseUrl, settings.baseUrl) });
    return {
      speech: (model) => provider.speech(model),
      transcription: (model) => provider.transcription(model),
    };
  },
});
