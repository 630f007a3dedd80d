import { SluiceError } from '../../errors/index.ts';
import type { EncodeBodyOptions, EncodedRequest } from '../canonical/encode-options.ts';
import type { GenerationRequest, ResponseFormat } from '../canonical/generation-request.ts';
import { unsupportedParameters, refuseOrDrop } from '../canonical/parameter-policy.ts';
import { inputItems } from './encode-request/input-items.ts';
import { isObject, type JsonObject } from '../canonical/json-members.ts';
import { responsesToolChoice, responsesTools } from './encode-request/tools.ts';

/** Chat parameters that Responses does not have, and Responses' own that would change the meaning of the request. */
const unsupportedParams = new Set([
  'n',
  'seed',
  'stop',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'prediction',
  'modalities',
  'audio',
  'background',
  'input',
]);

/** Members that are encoded differently. All others are forwarded unchanged, Responses' own included. */
const translated = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'max_tokens',
  'logprobs',
  'top_logprobs',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'response_format',
  'verbosity',
  'reasoning_effort',
  'web_search_options',
  'store',
  'include',
  'text',
  'reasoning',
]);

export interface ResponsesOptions extends EncodeBodyOptions {
  /** Whether encrypted reasoning can be requested from the model. */
  readonly encryptsReasoning: boolean;
  /** The minimum `max_output_tokens`. */
  readonly minOutputTokens: number;
}

/**
 * Encodes a request of OpenAI's Responses API. Source: OpenAI's API document, CreateResponse; guide "Migrate to the
 * Responses API".
 * @throws SluiceError of status 400 for what the API does not support
 */
export function encodeResponsesRequest(request: GenerationRequest, options: ResponsesOptions): EncodedRequest {
  const { provider, model, stream, parameters } = options;
  const input = inputItems(request);
  const limit = outputLimit(request, options.minOutputTokens, parameters === 'strict');
  const refused = unsupportedParameters(request, (name) => !unsupportedParams.has(name));
  const dropped = [...refuseOrDrop(provider, [...refused, ...input.unsupported], parameters), ...limit.dropped];
  // A hint, not a parameter: it is dropped under either policy.
  if (input.named) dropped.push('messages.name');
  const passed = Object.entries(request).filter(
    ([name, value]) => !translated.has(name) && !unsupportedParams.has(name) && value !== null && value !== undefined,
  );
  const body = {
    ...Object.fromEntries(passed),
    model,
    input: input.items,
    stream: stream || undefined,
    stream_options: streamOptions(request),
    ...(limit.tokens !== undefined && { max_output_tokens: limit.tokens }),
    top_logprobs: request.logprobs ? (request.top_logprobs ?? undefined) : undefined,
    tools: responsesTools(request) ?? undefined,
    tool_choice: responsesToolChoice(request),
    text: textSettings(request),
    reasoning: reasoningSettings(request),
    // By default, Chat Completions does not store a response, and Responses does.
    store: request.store ?? false,
    include: included(request, options.encryptsReasoning),
  };
  return { body: JSON.stringify(body), dropped };
}

/**
 * A limit below the minimum is rejected, or raised to it and reported if parameters may be dropped: the response may then
 * be a few tokens longer.
 */
function outputLimit(
  { max_completion_tokens: completion, max_tokens: older }: GenerationRequest,
  min: number,
  strict: boolean,
): { readonly tokens: number | undefined; readonly dropped: readonly string[] } {
  const tokens = completion ?? older ?? undefined;
  if (tokens === undefined || tokens >= min) return { tokens, dropped: [] };
  const name = typeof completion === 'number' ? 'max_completion_tokens' : 'max_tokens';
  if (strict) throw new SluiceError('integer_below_min_value', { param: name, values: { limit: min } });
  return { tokens: min, dropped: [name] };
}

/** Without `include_usage`: a Responses stream always reports its usage. */
function streamOptions({ stream_options: requested }: GenerationRequest): JsonObject | undefined {
  const { include_usage: _, ...rest } = requested ?? {};
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function textSettings(request: GenerationRequest): JsonObject | undefined {
  const { response_format: format, verbosity } = request;
  const settings = {
    ...(isObject(request.text) && request.text),
    ...(format && { format: textFormat(format) }),
    ...(verbosity && { verbosity }),
  };
  return Object.keys(settings).length > 0 ? settings : undefined;
}

function textFormat(format: ResponseFormat): JsonObject {
  if (format.type !== 'json_schema') return format;
  const { schema, strict, description, ...rest } = format.json_schema;
  return {
    ...rest,
    description: description ?? undefined,
    // Required in Responses; in chat, no schema means any.
    schema: schema ?? {},
    strict: strict ?? undefined,
    type: 'json_schema',
  };
}

function reasoningSettings({ reasoning, reasoning_effort: effort }: GenerationRequest): unknown {
  if (isObject(reasoning)) return effort ? { ...reasoning, effort } : reasoning;
  return effort ? { effort } : undefined;
}

/** Only the client can return the reasoning of an unstored response: it is requested, unless the client sets `include`. */
function included(request: GenerationRequest, encryptsReasoning: boolean): unknown[] | undefined {
  const added = request.store !== true && encryptsReasoning ? ['reasoning.encrypted_content'] : [];
  const include: unknown[] = Array.isArray(request.include) ? [...request.include] : added;
  if (request.logprobs) include.push('message.output_text.logprobs');
  return include.length > 0 || Array.isArray(request.include) ? [...new Set(include)] : undefined;
}
