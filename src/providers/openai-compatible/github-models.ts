import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const githubModels = openAiShaped({
  id: 'github-models',
  providerAliases: ['github'],
  name: 'GitHub Models',
  documentation: 'https://docs.github.com/en/rest/models/inference',
  baseUrl: 'https://models.github.ai/inference',
  // The list of its models is outside the path of the base URL.
  modelsPath: null,
  services: ['embeddings'],
});
