import { openAiShaped } from './openai-compatible/openai-shaped.ts';

export const openrouter = openAiShaped({
  id: 'openrouter',
  name: 'OpenRouter',
  documentation: 'https://openrouter.ai/docs/api/reference/streaming',
  baseUrl: 'https://openrouter.ai/api/v1',
});
