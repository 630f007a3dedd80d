import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const huggingface = openAiShaped({
  id: 'huggingface',
  providerAliases: ['hf'],
  name: 'Hugging Face',
  documentation: 'https://huggingface.co/docs/inference-providers/index',
  baseUrl: 'https://router.huggingface.co/v1',
});
