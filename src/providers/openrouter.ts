import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { sendRerank } from './openai-compatible/rerank.ts';

export const openrouter = openAiShaped({
  id: 'openrouter',
  name: 'OpenRouter',
  documentation: 'https://openrouter.ai/docs/api/reference/streaming',
  baseUrl: 'https://openrouter.ai/api/v1',
  ownServices: (place) => ({
    embeddings: sendEmbeddings(place, {
      inputType: { name: 'input_type', values: { query: 'search_query', document: 'search_document' } },
    }),
    rerank: sendRerank(place),
  }),
});
