import { effortOfBudget } from '../../canonical/effort-of-budget.ts';
import { isObject, type JsonObject } from '../../canonical/json-members.ts';
import type { GeminiRequest } from './schema.ts';

/** A chat has at most four. */
const MAX_STOPS = 4;

const efforts: Readonly<Record<string, string>> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' };
/** Members that are converted here. */
const known: ReadonlySet<string> = new Set([
  'temperature',
  'topP',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseLogprobs',
  'logprobs',
  'thinkingConfig',
]);

/** The settings of a chat. Source: ai.google.dev/api/generate-content, GenerationConfig. */
export function settingsOf({ generationConfig: config }: GeminiRequest): JsonObject {
  if (!config) return {};
  const settings: Record<string, unknown> = {
    temperature: config.temperature,
    top_p: config.topP,
    n: config.candidateCount,
    max_completion_tokens: config.maxOutputTokens,
    seed: config.seed,
    presence_penalty: config.presencePenalty,
    frequency_penalty: config.frequencyPenalty,
    reasoning_effort: effortOf(config),
    response_format: formatOf(config),
    ...(config.responseLogprobs === true && { logprobs: true, top_logprobs: config.logprobs }),
    ...(config.stopSequences?.length && { stop: config.stopSequences.slice(0, MAX_STOPS) }),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined && value !== null));
}

/** Paths of settings without an equivalent. */
export function droppedSettings({ generationConfig: config }: GeminiRequest): string[] {
  if (!config) return [];
  const others = Object.entries(config).filter(([name, value]) => !known.has(name) && value !== null);
  const hasMoreStops = (config.stopSequences?.length ?? 0) > MAX_STOPS;
  return [...others.map(([name]) => name), ...(hasMoreStops ? ['stopSequences'] : [])].map(
    (name) => `generationConfig.${name}`,
  );
}

type Config = NonNullable<GeminiRequest['generationConfig']>;

/** A budget of -1 lets the model decide. */
function effortOf({ thinkingConfig: thinking }: Config): string | undefined {
  const level = thinking?.thinkingLevel;
  if (typeof level === 'string') return efforts[level.toUpperCase()];
  const budget = thinking?.thinkingBudget;
  if (typeof budget !== 'number' || budget < 0) return undefined;
  if (budget === 0) return 'none';
  return effortOfBudget(budget);
}

function formatOf({ responseMimeType, responseJsonSchema, responseSchema }: Config): JsonObject | undefined {
  if (responseMimeType !== 'application/json') return undefined;
  const schema = responseJsonSchema ?? responseSchema;
  if (!schema) return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'output', schema: lowerCased(schema) } };
}

/** Google writes the types of a schema in capitals; JSON Schema does not. Source: ai.google.dev/api/caching, Schema. */
export function lowerCased(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerCased);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : lowerCased(value),
    ]),
  );
}
