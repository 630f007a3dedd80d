/**
 * Parameters of OpenAI's that speak of its own platform or models. A provider that refuses what it does not know names these
 * among what it does not take. Source: OpenAI's API document, CreateChatCompletionRequest.
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

/** The older form of tools. */
export const olderTools = ['functions', 'function_call'] as const;
