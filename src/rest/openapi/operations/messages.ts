import { z } from 'zod';
import { messagesRequestSchema } from '../../../gateway/capabilities/messages/messages-protocol.ts';
import { jsonBody } from '../examples.ts';
import { failuresForAnthropic } from '../failures.ts';
import { answer, counted, events, type Operation, ref, refs, routed } from '../parts.ts';

/** Source: platform.claude.com/docs/en/api/messages. */
export const createMessage: Operation = {
  operationId: 'createMessage',
  summary: 'Create a message',
  description:
    'Anthropic’s Messages API, for any model. A provider with this API receives the request unchanged, with the headers `anthropic-beta` and the query `beta=true`; for all others it is converted, and what they cannot receive is named in `x-sluice-dropped-params`. Returns one JSON object, or with `stream: true` Anthropic’s server-sent events.',
  tags: ['Messages'],
  requestBody: { required: true, content: jsonBody('MessageRequest') },
  responses: {
    '200': {
      description: 'The message.',
      headers: { ...routed, ...refs(['x-sluice-moderation']) },
      content: { 'application/json': { schema: ref('Message') }, ...events('MessageEvent') },
    },
    ...failuresForAnthropic,
  },
};

export const countMessageTokens: Operation = {
  operationId: 'countMessageTokens',
  summary: 'Count the tokens of a message',
  description:
    'Counts the input tokens of a request to `/v1/messages`: at the provider where it serves the protocol, else as an estimate. Free of charge. `x-sluice-estimated` names what is estimated.',
  tags: ['Messages'],
  requestBody: { required: true, content: jsonBody('MessageTokensRequest') },
  responses: { '200': answer('The count.', 'MessageTokens', counted), ...failuresForAnthropic },
};

export const messageRequestSchema = messagesRequestSchema;

export const messageTokensRequestSchema = messagesRequestSchema
  .pick({ model: true, messages: true, system: true, tools: true })
  .loose();

export const messageTokensSchema = z.looseObject({ input_tokens: z.int().min(0) });

const usage = z.looseObject({
  input_tokens: z.int().min(0).describe('Without the tokens that were read from or written to the cache.'),
  output_tokens: z.int().min(0),
  cache_creation_input_tokens: z.int().min(0).nullish(),
  cache_read_input_tokens: z.int().min(0).nullish(),
});

export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })).describe('Text, thinking and tool calls, in their order.'),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage,
});

export const messageEventSchema = z
  .looseObject({ type: z.string() })
  .describe('One event: `message_start`, `content_block_delta`, `message_delta`, …');

export const anthropicErrorSchema = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ type: z.string(), message: z.string() }),
  request_id: z.string().nullable(),
});
