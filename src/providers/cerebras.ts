import { systemForDeveloper, withPlainAnswers } from './openai-compatible/messages.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from './openai-compatible/parameter-names.ts';

export const cerebras = openAiShaped({
  id: 'cerebras',
  name: 'Cerebras',
  documentation: 'https://inference-docs.cerebras.ai/resources/openai',
  baseUrl: 'https://api.cerebras.ai/v1',
  unsupportedParams: [...openAiOnly, ...olderTools, 'frequency_penalty', 'logit_bias', 'metadata', 'presence_penalty'],
  messages: (messages) => withPlainAnswers(systemForDeveloper(messages)),
});
