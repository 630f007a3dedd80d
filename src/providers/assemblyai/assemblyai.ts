import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { rebasedFetch } from '../bridge/package/rebased-fetch.ts';
import { assemblyAiTranscription } from './transcription.ts';
import { readServiceError } from '../shared/http/service-error.ts';

const baseUrl = 'https://api.assemblyai.com';

export const assemblyAi = aiSdkProvider({
  id: 'assemblyai',
  name: 'AssemblyAI',
  documentation: 'https://www.assemblyai.com/docs/api-reference',
  baseUrl,
  needsKey: true,
  kinds: ['transcription'],
  native: {
    authorization: (key) => ['authorization', key],
    readError: readServiceError,
    services: (upstream) => ({ transcription: assemblyAiTranscription(upstream) }),
  },
  load: async ({ settings, apiKey, fetch }) => {
    const { createAssemblyAI } = await import('@ai-sdk/assemblyai');
    const provider = createAssemblyAI({ apiKey, fetch: rebasedFetch(fetch, baseUrl, settings.baseUrl) });
    return {
      transcription: (model) => provider.transcription(model),
    };
  },
});
