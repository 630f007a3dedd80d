import { openAiShaped } from './openai-compatible/openai-shaped.ts';

export const deepinfra = openAiShaped({
  id: 'deepinfra',
  name: 'DeepInfra',
  documentation: 'https://deepinfra.com/docs/advanced/openai_api',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
});
