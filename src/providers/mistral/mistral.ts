import { mistralAnswers } from './answer.ts';
import { MistralBatches } from './batches.ts';
import { mistralEmbeddings } from './embeddings.ts';
import { readMistralError } from './error.ts';
import { mistralMessages } from './messages.ts';
import { mistralTranscription } from './transcription.ts';
import { sendMistralModeration } from './moderation.ts';
import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from '../shared/openai-compatible/parameter-names.ts';
import { sendTranscription } from '../shared/openai-compatible/services/transcription.ts';

export const mistral = openAiShaped({
  id: 'mistral',
  providerAliases: ['mistralai'],
  name: 'Mistral',
  documentation: 'https://docs.mistral.ai/api/',
  catalogueSources: { mediaPrices: 'mistral-ai' },
  baseUrl: 'https://api.mistral.ai/v1',
  renames: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
  // Unknown parameters are rejected with status 422.
  unsupportedParams: [
    ...openAiOnly.filter((name) => name !== 'prediction' && name !== 'prompt_cache_key'),
    ...olderTools,
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'user',
  ],
  // Streams always report their usage.
  supportsStreamOptions: false,
  messages: mistralMessages,
  dialect: mistralAnswers,
  readError: readMistralError,
  customBatches: (client) => new MistralBatches(client),
  customServices: (client) => ({
    moderation: sendMistralModeration(client),
    transcription: sendTranscription(client, mistralTranscription),
    embeddings: sendEmbeddings(client, mistralEmbeddings),
  }),
});
