import { openAiBatchEndpoints } from '../shared/batches/openai-batches.ts';
import { isCompletionModel } from '../shared/openai-compatible/completions-relay.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { openAiResponses } from '../shared/openai-responses/responses-shape.ts';

export const openai = openAiShaped({
  id: 'openai',
  name: 'OpenAI',
  documentation: 'https://platform.openai.com/docs/api-reference/chat',
  catalogueSources: { mediaPrices: 'openai' },
  baseUrl: 'https://api.openai.com/v1',
  completions: isCompletionModel,
  // Documents by URL: https://developers.openai.com/docs/guides/pdf-files, for Responses only.
  responses: { ...openAiResponses, hasWebSockets: true, fetchesDocuments: true },
  batches: { endpoints: openAiBatchEndpoints },
  services: ['embeddings', 'moderation', 'images', 'speech', 'transcription', 'video'],
});
