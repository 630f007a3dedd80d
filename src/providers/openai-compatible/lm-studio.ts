import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const lmStudio = openAiShaped({
  id: 'lm-studio',
  name: 'LM Studio',
  documentation: 'https://lmstudio.ai/docs/developer/openai-compat',
  baseUrl: 'http://127.0.0.1:1234/v1',
  completions: true,
  needsKey: false,
  selfHosted: true,
  services: ['embeddings'],
});
