import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

// Unverified: no recorded response was at hand.
export const vercel = openAiShaped({
  id: 'vercel',
  providerAliases: ['vercel_ai_gateway'],
  name: 'Vercel AI Gateway',
  documentation: 'https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions',
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  services: ['embeddings'],
});
