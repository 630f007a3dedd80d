import { sendImages } from '../shared/openai-compatible/services/images.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendSpeech } from '../shared/openai-compatible/services/speech.ts';
import { sendTranscription } from '../shared/openai-compatible/services/transcription.ts';

export const localai = openAiShaped({
  id: 'localai',
  name: 'LocalAI',
  documentation: 'https://localai.io/docs/features/text-generation/',
  baseUrl: 'http://127.0.0.1:8080/v1',
  completions: true,
  needsKey: false,
  selfHosted: true,
  services: ['embeddings', 'rerank'],
  customServices: (client) => ({
    images: sendImages(client, { streams: false, requestsBase64: true }),
    speech: sendSpeech(client, {}),
    transcription: sendTranscription(client, { translates: false }),
  }),
});
