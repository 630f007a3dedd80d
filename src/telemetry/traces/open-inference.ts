import type { Attributes } from '@opentelemetry/api';

const kinds: Readonly<Record<string, string>> = {
  embeddings: 'EMBEDDING',
  rerank: 'RERANKER',
  moderation: 'GUARDRAIL',
};

/** By the name of the GenAI conventions. Source: arize-ai.github.io/openinference/spec/semantic_conventions.html. */
const names: Readonly<Record<string, string>> = {
  'gen_ai.response.model': 'llm.model_name',
  'gen_ai.provider.name': 'llm.provider',
  'gen_ai.usage.input_tokens': 'llm.token_count.prompt',
  'gen_ai.usage.output_tokens': 'llm.token_count.completion',
  'gen_ai.usage.cache_read.input_tokens': 'llm.token_count.prompt_details.cache_read',
  'gen_ai.usage.cache_creation.input_tokens': 'llm.token_count.prompt_details.cache_write',
  'gen_ai.usage.reasoning.output_tokens': 'llm.token_count.completion_details.reasoning',
  'gen_ai.usage.cost': 'llm.cost.total',
  'gen_ai.input.messages': 'input.value',
  'gen_ai.output.messages': 'output.value',
};

/** The attributes of an attempt by OpenInference, which Phoenix reads. @param capability its name @param given by the GenAI conventions */
export function openInferenceAttributes(capability: string, given: Attributes): Attributes {
  const attributes: Attributes = {
    'openinference.span.kind': kinds[capability] ?? 'LLM',
    'llm.model_name': given['gen_ai.request.model'],
    'llm.system': given['gen_ai.provider.name'],
  };
  for (const [name, value] of Object.entries(given)) {
    const inferred = names[name];
    if (inferred !== undefined) attributes[inferred] = value;
  }
  const [input, output] = [given['gen_ai.usage.input_tokens'], given['gen_ai.usage.output_tokens']];
  if (typeof input === 'number' && typeof output === 'number') attributes['llm.token_count.total'] = input + output;
  if (attributes['input.value'] !== undefined) attributes['input.mime_type'] = 'application/json';
  if (attributes['output.value'] !== undefined) attributes['output.mime_type'] = 'application/json';
  return attributes;
}
