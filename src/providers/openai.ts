import { openAiShaped } from './openai-compatible/openai-shaped.ts';

export const openai = openAiShaped({
  id: 'openai',
  name: 'OpenAI',
  documentation: 'https://platform.openai.com/docs/api-reference/chat',
  baseUrl: 'https://api.openai.com/v1',
});
