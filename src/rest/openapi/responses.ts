import { z } from 'zod';
import { responsesRequestSchema } from '../../gateway/capabilities/responses/schema.ts';
import { jsonBody } from './examples.ts';
import { failure, failures, refused } from './failures.ts';
import { answer, events, limited, linksById, ref, routed, type Operation } from './parts.ts';

/** As callers write it: a text is a message of the user. */
/** Ways on from a response that is stored. */
const links = linksById('retrieveResponse', 'deleteResponse', 'cancelResponse', 'listInputItems');

export const createResponseSchema = responsesRequestSchema
  .extend({
    input: z
      .union([z.string(), responsesRequestSchema.shape.input])
      .optional()
      .describe('What is asked: a text, or the items of a conversation. Absent only with `previous_response_id`.'),
  })
  .meta({ id: 'CreateResponseRequest', description: 'What to answer, and how. Further members are passed on.' });

const item = z.looseObject({ id: z.string(), type: z.string() });

/** Source: OpenAI's API document, Response. */
export const responseSchema = z
  .looseObject({
    id: z.string().describe('`resp_…`.'),
    object: z.literal('response'),
    created_at: z.int().describe('Seconds since 1970.'),
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
        cost: z.number().optional().describe('USD; in streams.'),
      })
      .optional()
      .describe('Absent while it is under way.'),
  })
  .meta({ id: 'Response' });

export const responseEventSchema = z
  .looseObject({ type: z.string().describe('Such as `response.output_text.delta`.'), sequence_number: z.int() })
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
const missing = failure('404', 'The account has no such response.');
const streamed = {
  'application/json': { schema: ref('Response') },
  ...events('ResponseEvent'),
};

export const createResponse: Operation = {
  operationId: 'createResponse',
  summary: 'Respond',
  description:
    'Answers a conversation, by any provider’s model: at once, as server-sent events, or in the background. It is stored for 30 days unless `store` is false.',
  tags,
  requestBody: { required: true, content: jsonBody('CreateResponseRequest') },
  responses: { '200': { description: 'The response.', headers: routed, content: streamed, links }, ...failures },
};

export const retrieveResponse: Operation = {
  operationId: 'retrieveResponse',
  summary: 'Retrieve a response',
  description: 'As it stands. With `stream=true` the events of a background response, those that are to come too.',
  tags,
  parameters: [
    id,
    { name: 'stream', in: 'query', schema: { type: 'boolean', default: false } },
    {
      name: 'starting_after',
      in: 'query',
      schema: { type: 'integer', minimum: 0 },
      description: 'Events behind this sequence number.',
    },
  ],
  responses: {
    '200': { description: 'The response.', headers: limited, content: streamed },
    ...refused,
    '400': failure('400', 'A parameter is not valid; or the response is not one of the background, and has no events.'),
    '404': missing,
  },
};

export const deleteResponse: Operation = {
  operationId: 'deleteResponse',
  summary: 'Delete a response',
  description: 'Removes it, with its input. One that is under way is ended.',
  tags,
  parameters: [id],
  responses: { '200': answer('It is deleted.', 'ResponseDeleted', limited), ...refused, '404': missing },
};

export const cancelResponse: Operation = {
  operationId: 'cancelResponse',
  summary: 'Cancel a response',
  description: 'Ends a background response. What came until then is paid for. One that has ended stays as it is.',
  tags,
  parameters: [id],
  responses: {
    '200': answer('The response as it is then.', 'Response', limited),
    ...refused,
    '400': failure('400', 'It is not one of the background.'),
    '404': missing,
  },
};

export const listInputItems: Operation = {
  operationId: 'listInputItems',
  summary: 'List input items',
  description: 'What a response was asked with.',
  tags,
  parameters: [
    id,
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 100, default: 20 } },
    { name: 'order', in: 'query', schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' } },
    { name: 'after', in: 'query', schema: { type: 'string' }, description: 'The item behind which the page begins.' },
  ],
  responses: { '200': answer('A page of them.', 'ResponseItemList', limited), ...refused, '404': missing },
};
