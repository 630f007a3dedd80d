import { mistralAnswers } from './openai-compatible/dialects/mistral-answer.ts';
import { mistralEmbeddings } from './openai-compatible/dialects/mistral-embeddings.ts';
import { readMistralError } from './openai-compatible/dialects/mistral-error.ts';
import { mistralMessages } from './openai-compatible/dialects/mistral-messages.ts';
import { mistralTranscription } from './openai-compatible/dialects/mistral-transcription.ts';
import { sendMistralModeration } from './openai-compatible/dialects/mistral-moderation.ts';
import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from './openai-compatible/parameter-names.ts';
import { sendTranscription } from './openai-compatible/transcription.ts';

export const mistral = openAiShaped({
  id: 'mistral',
  providerAliases: ['mistralai'],
  name: 'Mistral',
  documentation: 'https://docs.mistral.ai/api/',
  baseUrl: 'https://api.mistral.ai/v1',
  renames: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
  // What its request does not name is refused with 422.
  unsupportedParams: [
    ...openAiOnly.filter((name) => name !== 'prediction' && name !== 'prompt_cache_key'),
    ...olderTools,
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'user',
  ],
  // Streams tell their usage unasked.
  supportsStreamOptions: false,
  messages: mistralMessages,
  dialect: mistralAnswers,
  readError: readMistralError,
  customServices: (client) => ({
    moderation: sendMistralModeration(client),
    transcription: sendTranscription(client, mistralTranscription),
    embeddings: sendEmbeddings(client, mistralEmbeddings),
  }),
});
