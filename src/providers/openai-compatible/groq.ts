import { isObject } from '../../protocols/canonical/json-members.ts';
import { withoutNames, withKnownAssistantMembers } from '../shared/openai-compatible/messages.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { openAiOnly } from '../shared/openai-compatible/parameter-names.ts';
import { sendSpeech } from '../shared/openai-compatible/services/speech.ts';
import { sendTranscription } from '../shared/openai-compatible/services/transcription.ts';

export const groq = openAiShaped({
  id: 'groq',
  name: 'Groq',
  documentation: 'https://console.groq.com/docs/openai',
  catalogueSources: { mediaPrices: 'groq' },
  baseUrl: 'https://api.groq.com/openai/v1',
  // Source: console.groq.com/docs/responses-api, "Unsupported Features".
  responses: { isNative: true, isStoring: false, hosts: /(^|\.)groq\.com$/ },
  unsupportedParams: [
    ...openAiOnly.filter((name) => name !== 'service_tier'),
    'logit_bias',
    'logprobs',
    'metadata',
    'n',
    'top_logprobs',
  ],
  // Streams always report their usage, in `x_groq`.
  supportsStreamOptions: false,
  messages: (messages) => withoutNames(withKnownAssistantMembers(messages)),
  dialect: {
    marks: /"x_groq"/,
    findUsage: ({ x_groq: own }) => (isObject(own) ? own.usage : undefined),
  },
  // Source: console.groq.com/docs/batch.
  batches: { endpoints: { '/chat/completions': '/v1/chat/completions' } },
  // Orpheus, its only speech model, supports one format. Source: console.groq.com/docs/text-to-speech/orpheus.
  customServices: (client) => ({
    speech: sendSpeech(client, {
      unsupportedParams: ['instructions'],
      formats: { wav: { response_format: 'wav' } },
      defaultFormat: 'wav',
    }),
    transcription: sendTranscription(client, {}),
  }),
});
