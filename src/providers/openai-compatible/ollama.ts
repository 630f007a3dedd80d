import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const ollama = openAiShaped({
  id: 'ollama',
  name: 'Ollama',
  documentation: 'https://docs.ollama.com/openai',
  baseUrl: 'http://127.0.0.1:11434/v1',
  completions: true,
  // Source: docs.ollama.com/api/openai-compatibility: the API is stateless.
  responses: { isStoring: false },
  needsKey: false,
  selfHosted: true,
  services: ['embeddings'],
});
