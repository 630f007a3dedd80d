import type { GenerationRequest } from '../../canonical/generation-request.ts';
import type { ModelTraits } from '../model-traits.ts';
import { responseSchema } from './response-schema.ts';
import { thinkingConfig } from './thinking.ts';
import type { JsonObject } from '../../canonical/json-members.ts';

/** Encodes parameters as Google's GenerationConfig. Source: ai.google.dev/api/generate-content, GenerationConfig. */
export function generationConfig(request: GenerationRequest, traits: ModelTraits): JsonObject {
  const { stop, seed, top_k: topK, reasoning_effort: effort } = request;
  return withoutAbsent({
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    temperature: request.temperature,
    topP: request.top_p,
    topK: typeof topK === 'number' ? topK : undefined,
    stopSequences: typeof stop === 'string' ? [stop] : stop,
    // Google's seed has 32 bits.
    seed: typeof seed === 'number' ? seed % 2 ** 31 : undefined,
    presencePenalty: traits.supportsPenalties ? request.presence_penalty : undefined,
    frequencyPenalty: traits.supportsPenalties ? request.frequency_penalty : undefined,
    candidateCount: request.n,
    responseLogprobs: request.logprobs === true ? true : undefined,
    logprobs: request.top_logprobs === 0 ? undefined : request.top_logprobs,
    thinkingConfig: effort ? thinkingConfig(effort, traits) : undefined,
    ...responseFormat(request),
  });
}

function responseFormat({ response_format: format }: GenerationRequest): JsonObject {
  if (!format || format.type === 'text') return {};
  const schema = format.type === 'json_schema' ? format.json_schema.schema : null;
  return {
    responseMimeType: 'application/json',
    responseJsonSchema: schema ? responseSchema(schema) : undefined,
  };
}

function withoutAbsent(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}
