import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { openAiResponses } from './openai-responses/responses-shape.ts';

export const openai = openAiShaped({
  id: 'openai',
  name: 'OpenAI',
  documentation: 'https://platform.openai.com/docs/api-reference/chat',
  baseUrl: 'https://api.openai.com/v1',
  responses: openAiResponses,
  services: ['embeddings', 'moderation', 'images', 'speech', 'transcription', 'video'],
});
