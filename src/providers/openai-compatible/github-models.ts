import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const githubModels = openAiShaped({
  id: 'github-models',
  providerAliases: ['github'],
  name: 'GitHub Models',
  documentation: 'https://docs.github.com/en/rest/models/inference',
  baseUrl: 'https://models.github.ai/inference',
  // Its catalogue stands beside, under another path than the base URL's.
  modelsPath: null,
  services: ['embeddings'],
});
