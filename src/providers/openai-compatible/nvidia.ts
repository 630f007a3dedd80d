import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const nvidia = openAiShaped({
  id: 'nvidia',
  providerAliases: ['nvidia_nim'],
  name: 'NVIDIA',
  documentation: 'https://docs.nvidia.com/nim/large-language-models/latest/reference/api-reference.html',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, {
      supportsTokens: false,
      inputType: { name: 'input_type', values: { query: 'query', document: 'passage' } },
    }),
  }),
});
