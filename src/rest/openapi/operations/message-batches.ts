import { z } from 'zod';
import { jsonBody } from '../examples.ts';
import { failingForAnthropic, failure } from '../failures.ts';
import { answer, limited, linksById, type Operation } from '../parts.ts';

/** Source of all: Anthropic's API reference, Message Batches. */
export const messageBatchRequestSchema = z
  .strictObject({
    requests: z
      .array(
        z.strictObject({
          custom_id: z
            .string()
            .regex(/^[a-zA-Z0-9_-]{1,64}$/)
            .describe('Unique within the batch. Results have it.'),
          params: z
            .looseObject({ model: z.string().min(1), stream: z.literal(false).nullish() })
            .describe('A message, as for `POST /v1/messages`. It is checked when it runs, except for these members.'),
        }),
      )
      .min(1)
      .max(100_000),
  })
  .meta({ id: 'MessageBatchRequest' });

const count = z.int().min(0);
const time = z.string().describe('RFC 3339.');

export const messageBatchSchema = z
  .object({
    id: z.string().describe('`msgbatch_…`.'),
    type: z.literal('message_batch'),
    processing_status: z.enum(['in_progress', 'canceling', 'ended']),
    request_counts: z
      .object({ processing: count, succeeded: count, errored: count, canceled: count, expired: count })
      .describe('All count as processing until the batch has ended.'),
    created_at: time,
    expires_at: time.describe('RFC 3339. Requests that have not started by then expire.'),
    ended_at: time.nullable(),
    cancel_initiated_at: time.nullable(),
    archived_at: time.nullable(),
    results_url: z.string().nullable().describe('Null until the batch has ended.'),
  })
  .meta({ id: 'MessageBatch' });

export const messageBatchListSchema = z
  .object({
    data: z.array(messageBatchSchema),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'MessageBatchList' });

export const messageBatchDeletedSchema = z
  .object({ id: z.string(), type: z.literal('message_batch_deleted') })
  .meta({ id: 'MessageBatchDeleted' });

const tags = ['Messages'];
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`msgbatch_…`.' };
const refused = failingForAnthropic('400', '401', '403', '500', '503');
const missing = failure('404', 'The account has no message batch with this ID.', 'AnthropicError');
const links = linksById(
  'retrieveMessageBatch',
  'deleteMessageBatch',
  'cancelMessageBatch',
  'retrieveMessageBatchResults',
);

const createMessageBatch: Operation = {
  operationId: 'createMessageBatch',
  summary: 'Create a message batch',
  description:
    'Runs up to 100,000 messages within 24 hours, whenever the server has room. They may name any model, and cost what they cost one by one. The body is up to 256 MB.',
  tags,
  requestBody: { required: true, content: jsonBody('MessageBatchRequest') },
  responses: {
    '200': { ...answer('The batch.', 'MessageBatch', limited), links },
    ...refused,
    ...failingForAnthropic('413', '415'),
  },
};

const listMessageBatches: Operation = {
  operationId: 'listMessageBatches',
  summary: 'List message batches',
  description: 'Lists message batches, newest first.',
  tags,
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 20 } },
    {
      name: 'after_id',
      in: 'query',
      schema: { type: 'string' },
      description: 'ID of the batch that the page starts after.',
    },
    {
      name: 'before_id',
      in: 'query',
      schema: { type: 'string' },
      description: 'ID of the batch that the page ends before. Excludes `after_id`.',
    },
  ],
  responses: { '200': answer('A page of batches.', 'MessageBatchList', limited), ...refused, '404': missing },
};

const retrieveMessageBatch: Operation = {
  operationId: 'retrieveMessageBatch',
  summary: 'Retrieve a message batch',
  description: 'Returns the current state of a message batch.',
  tags,
  parameters: [id],
  responses: { '200': answer('The batch.', 'MessageBatch', limited), ...refused, '404': missing },
};

const cancelMessageBatch: Operation = {
  operationId: 'cancelMessageBatch',
  summary: 'Cancel a message batch',
  description:
    'Starts no more requests of a message batch. Those that are running end. A batch that has ended is not changed.',
  tags,
  parameters: [id],
  responses: { '200': answer('The batch.', 'MessageBatch', limited), ...refused, '404': missing },
};

const deleteMessageBatch: Operation = {
  operationId: 'deleteMessageBatch',
  summary: 'Delete a message batch',
  description: 'Deletes a message batch that has ended, with its results.',
  tags,
  parameters: [id],
  responses: {
    '200': answer('The batch is deleted.', 'MessageBatchDeleted', limited),
    ...refused,
    '400': failure('400', 'The batch has not ended.', 'AnthropicError'),
    '404': missing,
  },
};

const retrieveMessageBatchResults: Operation = {
  operationId: 'retrieveMessageBatchResults',
  summary: 'Retrieve the results of a message batch',
  description: 'Returns a line of JSON for each request, in the order of the requests.',
  tags,
  parameters: [id],
  responses: {
    '200': {
      description: 'The results.',
      headers: limited,
      content: { 'application/x-jsonl': { schema: { type: 'string', format: 'binary' } } },
    },
    ...refused,
    '404': failure(
      '404',
      'The account has no message batch with this ID, or the batch has no results yet.',
      'AnthropicError',
    ),
  },
};

export const messageBatchPaths = {
  '/v1/messages/batches': { get: listMessageBatches, post: createMessageBatch },
  '/v1/messages/batches/{id}': { get: retrieveMessageBatch, delete: deleteMessageBatch },
  '/v1/messages/batches/{id}/cancel': { post: cancelMessageBatch },
  '/v1/messages/batches/{id}/results': { get: retrieveMessageBatchResults },
} as const;
