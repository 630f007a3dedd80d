import { openAiShaped } from './openai-compatible/openai-shaped.ts';

export const together = openAiShaped({
  id: 'together',
  alsoKnownAs: ['togetherai', 'together_ai'],
  name: 'Together AI',
  documentation: 'https://docs.together.ai/docs/inference/openai-compatibility',
  baseUrl: 'https://api.together.ai/v1',
});
