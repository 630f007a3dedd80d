/**
 * OpenAI parameters that are specific to its platform or models. A provider that rejects unknown parameters declares them as
 * unsupported. Source: OpenAI's API document, CreateChatCompletionRequest.
 */
export const openAiOnly = [
  'audio',
  'modalities',
  'moderation',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'verbosity',
  'web_search_options',
] as const;

/** The deprecated parameters for tools. */
export const olderTools = ['functions', 'function_call'] as const;
