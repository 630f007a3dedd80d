import { isObject } from '../../protocols/canonical/json-members.ts';
import { systemForDeveloper, withReasoningContent } from '../shared/openai-compatible/messages.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from '../shared/openai-compatible/parameter-names.ts';
import { cachedTokensIn } from '../shared/openai-compatible/dialect/usage.ts';

export const deepseek = openAiShaped({
  id: 'deepseek',
  name: 'DeepSeek',
  documentation: 'https://api-docs.deepseek.com/api/create-chat-completion',
  catalogueSources: { mediaPrices: 'deepseek' },
  baseUrl: 'https://api.deepseek.com',
  renames: { max_completion_tokens: 'max_tokens' },
  unsupportedParams: [
    ...openAiOnly,
    ...olderTools,
    'logit_bias',
    'metadata',
    'n',
    'parallel_tool_calls',
    'seed',
    'user',
  ],
  supportedValues: { response_format: (format) => !isObject(format) || format.type !== 'json_schema' },
  messages: (messages) => withReasoningContent(systemForDeveloper(messages)),
  dialect: {
    marks: /"(?:prompt_cache_hit_tokens|insufficient_system_resource)"/,
    usage: cachedTokensIn('prompt_cache_hit_tokens'),
    finishReasons: { insufficient_system_resource: 'error' },
  },
});
