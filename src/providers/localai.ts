import { sendImages } from './openai-compatible/images.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { sendSpeech } from './openai-compatible/speech.ts';
import { sendTranscription } from './openai-compatible/transcription.ts';

export const localai = openAiShaped({
  id: 'localai',
  name: 'LocalAI',
  documentation: 'https://localai.io/docs/features/text-generation/',
  baseUrl: 'http://127.0.0.1:8080/v1',
  needsKey: false,
  selfHosted: true,
  services: ['embeddings', 'rerank'],
  customServices: (client) => ({
    images: sendImages(client, { streams: false, requestsBase64: true }),
    speech: sendSpeech(client, {}),
    transcription: sendTranscription(client, { translates: false }),
  }),
});
