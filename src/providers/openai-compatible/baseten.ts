import { systemForDeveloper } from '../shared/openai-compatible/messages.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from '../shared/openai-compatible/parameter-names.ts';

// Unverified: no recorded response was at hand.
export const baseten = openAiShaped({
  id: 'baseten',
  name: 'Baseten',
  documentation: 'https://docs.baseten.co/reference/inference-api/chat-completions',
  baseUrl: 'https://inference.baseten.co/v1',
  renames: { max_completion_tokens: 'max_tokens' },
  // Its schema permits no other members.
  unsupportedParams: [...openAiOnly, ...olderTools, 'metadata'],
  supportedValues: { n: (count) => count === 1 },
  messages: systemForDeveloper,
});
