import { openAiShaped } from './openai-compatible/openai-shaped.ts';

export const fireworks = openAiShaped({
  id: 'fireworks',
  alsoKnownAs: ['fireworks-ai', 'fireworks_ai'],
  name: 'Fireworks AI',
  documentation: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
});
