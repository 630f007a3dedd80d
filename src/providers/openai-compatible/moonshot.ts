import { systemForDeveloper, withReasoningContent } from '../shared/openai-compatible/messages.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { cachedTokensIn } from '../shared/openai-compatible/dialect/usage.ts';

export const moonshot = openAiShaped({
  id: 'moonshot',
  providerAliases: ['moonshotai'],
  name: 'Moonshot',
  documentation: 'https://platform.kimi.ai/docs/api/quickstart',
  catalogueSources: { modelsDev: ['moonshotai'] },
  baseUrl: 'https://api.moonshot.ai/v1',
  unsupportedParams: ['seed'],
  messages: (messages) => withReasoningContent(systemForDeveloper(messages)),
  // The usage of a stream may be part of its last choice.
  dialect: { marks: /"usage"\s*:\s*\{/, usage: cachedTokensIn('cached_tokens') },
});
