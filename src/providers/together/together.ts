import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendRerank } from '../shared/openai-compatible/services/rerank.ts';
import { sendSpeech, type SpeechShape } from '../shared/openai-compatible/services/speech.ts';
import { togetherImages } from './images.ts';
import { sendTranscription } from '../shared/openai-compatible/services/transcription.ts';

/** Source: docs.together.ai/reference/audio-speech. */
const speech: SpeechShape = {
  unsupportedParams: ['instructions', 'speed'],
  formats: {
    mp3: { response_format: 'mp3' },
    wav: { response_format: 'wav', response_encoding: 'pcm_s16le', sample_rate: 24_000 },
    pcm: { response_format: 'raw', response_encoding: 'pcm_s16le', sample_rate: 24_000 },
  },
  defaultFormat: 'mp3',
};

export const together = openAiShaped({
  id: 'together',
  providerAliases: ['togetherai', 'together_ai'],
  name: 'Together AI',
  documentation: 'https://docs.together.ai/docs/inference/openai-compatibility',
  // FLUX.1 [schnell] is listed as 0.0027, which is USD per megapixel.
  catalogueSources: { modelsDev: ['togetherai'], mediaPrices: 'together-ai', mediaInDollars: true },
  baseUrl: 'https://api.together.ai/v1',
  completions: true,
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, {
      supportsTokens: false,
      encodes: false,
      supportsUser: false,
      dimensions: null,
    }),
    rerank: sendRerank(client),
    speech: sendSpeech(client, speech),
    images: togetherImages(client),
    transcription: sendTranscription(client, { formats: ['json', 'verbose_json'] }),
  }),
});
