import { systemForDeveloper, withoutNames } from '../shared/openai-compatible/messages.ts';
import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from '../shared/openai-compatible/parameter-names.ts';

export const zai = openAiShaped({
  id: 'zai',
  providerAliases: ['z-ai', 'zhipuai'],
  name: 'Z.ai',
  documentation: 'https://docs.z.ai/api-reference/llm/chat-completion',
  catalogueSources: { modelsDev: ['zai', 'z-ai'] },
  baseUrl: 'https://api.z.ai/api/paas/v4',
  renames: { max_completion_tokens: 'max_tokens', user: 'user_id' },
  unsupportedParams: [
    ...openAiOnly,
    ...olderTools,
    'frequency_penalty',
    'logit_bias',
    'logprobs',
    'metadata',
    'n',
    'parallel_tool_calls',
    'presence_penalty',
    'seed',
    'top_logprobs',
  ],
  supportedValues: { tool_choice: (choice) => choice === 'auto' },
  // Streams always report their usage.
  supportsStreamOptions: false,
  messages: (messages) => withoutNames(systemForDeveloper(messages)),
  dialect: {
    marks: /"(?:sensitive|model_context_window_exceeded|network_error)"/,
    finishReasons: { sensitive: 'content_filter', model_context_window_exceeded: 'length', network_error: 'error' },
  },
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, { maxInputs: 64, supportsTokens: false, encodes: false, supportsUser: false }),
  }),
});
