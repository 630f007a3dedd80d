import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';

/**
 * What Sluice makes for Anthropic's clients, strictly: a part of what the SDK's types allow. Source: the types of
 * `@anthropic-ai/sdk` 1.14.0.
 */
const count = z.int().min(0);

const usage = z.strictObject({
  cache_creation: z.null(),
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  inference_geo: z.null(),
  input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.strictObject({ thinking_tokens: count }).nullable(),
  server_tool_use: z.strictObject({ web_search_requests: count, web_fetch_requests: count }).nullable(),
  service_tier: z.null(),
  speed: z.null(),
});

const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string().min(1),
  caller: z.strictObject({ type: z.literal('direct') }),
  input: z.record(z.string(), z.unknown()),
});

const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), citations: z.null() }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  toolUse,
]);

const stopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']);

const stopDetails = z.strictObject({ type: z.literal('refusal'), category: z.null(), explanation: z.string().min(1) });

export const anthropicMessage = z.strictObject({
  id: z.string().regex(/^msg_[0-9a-f]{32}$/),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string().min(1),
  content: z.array(block),
  stop_reason: stopReason.nullable(),
  stop_sequence: z.string().nullable(),
  stop_details: stopDetails.nullable(),
  container: z.null(),
  diagnostics: z.null(),
  usage,
});

const index = z.int().min(0);

export const anthropicEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message_start'), message: anthropicMessage.extend({ content: z.tuple([]) }) }),
  z.strictObject({ type: z.literal('content_block_start'), index, content_block: block }),
  z.strictObject({
    type: z.literal('content_block_delta'),
    index,
    delta: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
      z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.strictObject({ type: z.literal('signature_delta'), signature: z.string() }),
      z.strictObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.strictObject({ type: z.literal('content_block_stop'), index }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject({
      stop_reason: stopReason,
      stop_sequence: z.string().nullable(),
      stop_details: stopDetails.nullable(),
      container: z.null(),
    }),
    usage: usage.pick({
      cache_creation_input_tokens: true,
      cache_read_input_tokens: true,
      input_tokens: true,
      output_tokens: true,
      output_tokens_details: true,
      server_tool_use: true,
    }),
  }),
  z.strictObject({ type: z.literal('message_stop') }),
]);

/** Anthropic's types do not name it. Source: platform.claude.com/docs/en/build-with-claude/streaming. */
export const anthropicPing = z.strictObject({ type: z.literal('ping') });

export const anthropicError = z.strictObject({
  type: z.literal('error'),
  error: z.strictObject({
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'billing_error',
      'permission_error',
      'not_found_error',
      'request_too_large',
      'rate_limit_error',
      'timeout_error',
      'api_error',
      'overloaded_error',
    ]),
    message: z.string().min(1),
  }),
  request_id: z.string().nullable(),
});

/**
 * They compile only while every value that passes is one of the SDK's.
 * @public
 */
export const messageAsTyped = (message: z.infer<typeof anthropicMessage>): Anthropic.Message => message;
/** @public */
export const eventAsTyped = (event: z.infer<typeof anthropicEvent>): Anthropic.RawMessageStreamEvent => event;
/** @public */
export const errorAsTyped = (
  error: z.infer<typeof anthropicError>,
): Pick<Anthropic.ErrorResponse, 'type' | 'request_id'> => error;
