import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendRerank } from '../shared/openai-compatible/services/rerank.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';

export const openrouter = openAiShaped({
  id: 'openrouter',
  name: 'OpenRouter',
  documentation: 'https://openrouter.ai/docs/api/reference/streaming',
  baseUrl: 'https://openrouter.ai/api/v1',
  completions: true,
  // Source: openrouter.ai/docs/features/multimodal/pdfs.
  fetchesDocuments: true,
  // Source: openrouter.ai/docs/api/reference/responses/overview: each request is stateless.
  responses: { isNative: true, isStoring: false, hosts: /(^|\.)openrouter\.ai$/ },
  dialect: {
    marks: /"server_tool_use_details"/,
    // The name in its responses; its reference has `server_tool_use`.
    usage: (usage) =>
      isObject(usage.server_tool_use_details) && !isObject(usage.server_tool_use)
        ? { ...usage, server_tool_use: usage.server_tool_use_details }
        : usage,
  },
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, {
      inputType: { name: 'input_type', values: { query: 'search_query', document: 'search_document' } },
    }),
    rerank: sendRerank(client),
  }),
});
