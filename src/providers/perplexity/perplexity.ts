import { perplexityAnswers } from './answer.ts';
import { systemForDeveloper } from '../shared/openai-compatible/messages.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { olderTools, openAiOnly } from '../shared/openai-compatible/parameter-names.ts';

/** Searches of one report. Perplexity charges for each and documents no maximum. Source: https://docs.perplexity.ai/getting-started/pricing */
const DEEP_RESEARCH_SEARCHES = 30;

export const perplexity = openAiShaped({
  id: 'perplexity',
  name: 'Perplexity',
  documentation: 'https://docs.perplexity.ai/guides/chat-completions-guide',
  catalogueSources: { mediaPrices: 'perplexity-ai' },
  baseUrl: 'https://api.perplexity.ai',
  modelsPath: null,
  renames: { max_completion_tokens: 'max_tokens' },
  unsupportedParams: [
    ...openAiOnly.filter((name) => name !== 'web_search_options'),
    ...olderTools,
    'logit_bias',
    'logprobs',
    'metadata',
    'n',
    'parallel_tool_calls',
    'seed',
    'stop',
    'tool_choice',
    'tools',
    'top_logprobs',
    'user',
  ],
  // Streams always report their usage.
  supportsStreamOptions: false,
  messages: systemForDeveloper,
  dialect: perplexityAnswers,
  maxImplicitSearches: (model) => (model.includes('deep-research') ? DEEP_RESEARCH_SEARCHES : 1),
});
