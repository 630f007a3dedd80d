import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { rebasedFetch } from '../bridge/package/rebased-fetch.ts';
import { elevenLabsSpeech } from './speech.ts';
import { elevenLabsTranscription } from './transcription.ts';
import { readServiceError } from '../shared/http/service-error.ts';

const baseUrl = 'https://api.elevenlabs.io';

export const elevenLabs = aiSdkProvider({
  id: 'elevenlabs',
  name: 'ElevenLabs',
  documentation: 'https://elevenlabs.io/docs/api-reference/introduction',
  baseUrl,
  needsKey: true,
  kinds: ['speech', 'transcription'],
  native: {
    authorization: (key) => ['xi-api-key', key],
    readError: readServiceError,
    services: (upstream) => ({ speech: elevenLabsSpeech(upstream), transcription: elevenLabsTranscription(upstream) }),
  },
  load: async ({ settings, apiKey, fetch }) => {
    const { createElevenLabs } = await import('@ai-sdk/elevenlabs');
    const provider = createElevenLabs({ apiKey, fetch: rebasedFetch(fetch, baseUrl, settings.baseUrl) });
    return {
      speech: (model) => provider.speech(model),
      transcription: (model) => provider.transcription(model),
    };
  },
});
