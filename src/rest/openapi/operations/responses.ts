import { z } from 'zod';
import { responsesRequestSchema } from '../../../gateway/capabilities/responses/parse.ts';
import { jsonBody } from '../examples.ts';
import { failure, failures, refused } from '../failures.ts';
import { answer, counted, events, limited, linksById, type Operation, pageParameters, ref, routed } from '../parts.ts';

/** Operations on a stored response. */
const links = linksById('retrieveResponse', 'deleteResponse', 'cancelResponse', 'listInputItems');

export const createResponseSchema = responsesRequestSchema
  .extend({
    input: z
      .union([z.string(), responsesRequestSchema.shape.input])
      .optional()
      .describe('A text, or the items of a conversation. Optional only with `previous_response_id`.'),
  })
  .meta({ id: 'CreateResponseRequest', description: 'Unknown members are passed to the provider.' });

const item = z.looseObject({ id: z.string(), type: z.string() });

/** Source: OpenAI's API document, Response. */
export const responseSchema = z
  .looseObject({
    id: z.string().describe('`resp_…`.'),
    object: z.literal('response'),
    created_at: z.int().describe('Unix time in seconds.'),
    completed_at: z.int().nullable(),
    status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    model: z.string(),
    output: z
      .array(item)
      .describe('`message`, `function_call`, `custom_tool_call`, `reasoning`, `image_generation_call`.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    previous_response_id: z.string().nullable(),
    usage: z
      .looseObject({
        input_tokens: z.int(),
        input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
        output_tokens: z.int(),
        output_tokens_details: z.object({ reasoning_tokens: z.int() }),
        total_tokens: z.int(),
        cost: z.number().optional().describe('Cost in USD. A Sluice extension in streams.'),
      })
      .optional()
      .describe('Absent while the response is in progress.'),
  })
  .meta({ id: 'Response' });

export const responseEventSchema = z
  .looseObject({ type: z.string().describe('For example `response.output_text.delta`.'), sequence_number: z.int() })
  .meta({ id: 'ResponseEvent' });

export const responseItemsSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseItemList' });

export const responseDeletedSchema = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.boolean() })
  .meta({ id: 'ResponseDeleted' });

const tags = ['Responses'];
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`resp_…`.' };
const missing = failure('404', 'The account has no response with this ID.');
const streamed = {
  'application/json': { schema: ref('Response') },
  ...events('ResponseEvent'),
};

export const createResponse: Operation = {
  operationId: 'createResponse',
  summary: 'Create a response',
  description:
    'Generates a response with a model of any provider. Returns one JSON object, with `stream: true` server-sent events, or with `background: true` a response that is generated in the background. Responses are stored for 30 days unless `store` is false.',
  tags,
  requestBody: { required: true, content: jsonBody('CreateResponseRequest') },
  responses: { '200': { description: 'The response.', headers: routed, content: streamed, links }, ...failures },
};

export const compactResponse: Operation = {
  operationId: 'compactResponse',
  summary: 'Compact a conversation',
  description:
    'Replaces a conversation by one item that stands for it: the model is asked for a summary. Nothing is stored. Billed as a response.',
  tags,
  requestBody: { required: true, content: jsonBody('CompactResponseRequest') },
  responses: { '200': answer('The compaction.', 'CompactedResponse', routed), ...failures },
};

export const retrieveResponse: Operation = {
  operationId: 'retrieveResponse',
  summary: 'Retrieve a response',
  description:
    'Returns the current state of a response. With `stream=true` it streams the past and future events of a background response.',
  tags,
  parameters: [
    id,
    { name: 'stream', in: 'query', schema: { type: 'boolean', default: false } },
    {
      name: 'starting_after',
      in: 'query',
      schema: { type: 'integer', minimum: 0 },
      description: 'Streams only events after this sequence number.',
    },
  ],
  responses: {
    '200': { description: 'The response.', headers: limited, content: streamed },
    ...refused,
    '400': failure(
      '400',
      'A parameter is not valid, or the response was not created with `background: true` and has no events.',
    ),
    '404': missing,
  },
};

export const deleteResponse: Operation = {
  operationId: 'deleteResponse',
  summary: 'Delete a response',
  description: 'Deletes a response and its input. A response in progress is cancelled.',
  tags,
  parameters: [id],
  responses: { '200': answer('The response is deleted.', 'ResponseDeleted', limited), ...refused, '404': missing },
};

export const cancelResponse: Operation = {
  operationId: 'cancelResponse',
  summary: 'Cancel a response',
  description: 'Cancels a background response. Output generated so far is billed. A completed response is not changed.',
  tags,
  parameters: [id],
  responses: {
    '200': answer('The response.', 'Response', limited),
    ...refused,
    '400': failure('400', 'The response was not created with `background: true`.'),
    '404': missing,
  },
};

export const listInputItems: Operation = {
  operationId: 'listInputItems',
  summary: 'List input items',
  description: 'Lists the input items of a response.',
  tags,
  parameters: [id, ...pageParameters('item')],
  responses: { '200': answer('A page of input items.', 'ResponseItemList', limited), ...refused, '404': missing },
};

/** Source: OpenAI's API document, TokenCountsResource. */
export const countResponseTokens: Operation = {
  operationId: 'countResponseTokens',
  summary: 'Count the tokens of a response',
  description:
    'Estimates the input tokens of a request to `/v1/responses`. Free of charge. `x-sluice-estimated` names what is estimated.',
  tags: ['Responses'],
  requestBody: { required: true, content: jsonBody('ResponseTokensRequest') },
  responses: { '200': answer('The count.', 'ResponseTokens', counted), ...failures },
};

export const compactRequestSchema = createResponseSchema
  .pick({ model: true, input: true, instructions: true, previous_response_id: true, prompt_cache_key: true })
  .loose();

/** Source: OpenAI's API document, CompactResource. */
export const compactedSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }),
});

export const responseTokensRequestSchema = createResponseSchema
  .pick({ model: true, input: true, instructions: true, tools: true })
  .loose();

export const responseTokensSchema = z.looseObject({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int().min(0),
});
