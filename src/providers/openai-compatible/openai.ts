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
  responses: { ...openAiResponses, hasWebSockets: true },
  batches: { endpoints: openAiBatchEndpoints },
  services: ['embeddings', 'moderation', 'images', 'speech', 'transcription', 'video'],
});
