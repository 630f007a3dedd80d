import { systemForDeveloper, withKnownAssistantMembers } from '../shared/openai-compatible/messages.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from '../shared/openai-compatible/parameter-names.ts';

export const cerebras = openAiShaped({
  id: 'cerebras',
  name: 'Cerebras',
  documentation: 'https://inference-docs.cerebras.ai/resources/openai',
  catalogueSources: { mediaPrices: 'cerebras' },
  baseUrl: 'https://api.cerebras.ai/v1',
  completions: true,
  unsupportedParams: [...openAiOnly, ...olderTools, 'frequency_penalty', 'logit_bias', 'metadata', 'presence_penalty'],
  messages: (messages) => withKnownAssistantMembers(systemForDeveloper(messages)),
});
