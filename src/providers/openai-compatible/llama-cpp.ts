import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const llamaCpp = openAiShaped({
  id: 'llama-cpp',
  name: 'llama.cpp',
  documentation: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  baseUrl: 'http://127.0.0.1:8080/v1',
  completions: true,
  needsKey: false,
  selfHosted: true,
  services: ['embeddings', 'rerank'],
});
