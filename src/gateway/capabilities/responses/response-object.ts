import type { SluiceError } from '../../../errors/index.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { shownTool, withoutNulls } from './response-tools.ts';
import type { ResponsesRequest } from './schema.ts';

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

type TextFormat = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

/** A response object. Source: OpenAI's API document, Response. */
export type ResponseObject = Readonly<Record<string, unknown>> & { readonly status: ResponseStatus };

/** The members of a response that repeat its request. @param id public; @param createdAt seconds since the epoch */
export function responseSettings(id: string, createdAt: number, request: ResponsesRequest): Record<string, unknown> {
  const { text, reasoning, user } = request;
  return {
    id,
    object: 'response',
    created_at: createdAt,
    background: request.background ?? false,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'auto',
    store: request.store ?? true,
    temperature: request.temperature ?? null,
    text: { format: shownFormat(text?.format), ...(text?.verbosity && { verbosity: text.verbosity }) },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(shownTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    truncation: request.truncation ?? 'disabled',
    // Unlike the other members, it is never null.
    ...(typeof user === 'string' && { user }),
  };
}

function shownFormat(format: TextFormat | null | undefined): object {
  return format === null || format === undefined ? { type: 'text' } : withoutNulls(format);
}

const serviceTiers: ReadonlySet<unknown> = new Set([
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
]);

/** Clients of OpenAI's API cannot know the service tiers of other providers. */
export function isServiceTier(tier: unknown): tier is string {
  return serviceTiers.has(tier);
}

/** The values of ResponseErrorCode that are not specific to images or tools. */
export type ResponseErrorCode = 'server_error' | 'rate_limit_exceeded' | 'invalid_prompt';

/** OpenAI's error code of a failed response; its message has the details. */
export function responseErrorCode({ status }: Pick<SluiceError, 'status'>): ResponseErrorCode {
  if (status === 429) return 'rate_limit_exceeded';
  return status < 500 ? 'invalid_prompt' : 'server_error';
}

/** Converts the `usage` of a chat; undefined where it has none. */
export function responseUsage(usage: unknown): object | undefined {
  if (!isObject(usage)) return undefined;
  const input = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const output = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const [inputTokens, outputTokens] = [count(usage.prompt_tokens), count(usage.completion_tokens)];
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: count(input.cached_tokens),
      cache_write_tokens: count(input.cache_write_tokens),
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: count(output.reasoning_tokens) },
    total_tokens: count(usage.total_tokens) || inputTokens + outputTokens,
    ...(typeof usage.cost === 'number' && { cost: usage.cost }),
  };
}

/** Converts a chat's finish reason. */
export function endOf(finishReason: string | null): { status: ResponseStatus; incomplete_details: object | null } {
  const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[finishReason ?? ''];
  if (reason === undefined) return { status: 'completed', incomplete_details: null };
  return { status: 'incomplete', incomplete_details: { reason } };
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
