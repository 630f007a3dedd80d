import { z } from 'zod';
import { batchEndpoints } from '../../../gateway/batches/batch.ts';
import { jsonBody } from '../examples.ts';
import { failing, failure, refused } from '../failures.ts';
import { answer, limited, linksById, type Operation } from '../parts.ts';

/** Source of all: OpenAI's API document, Batch. */
export const batchRequestSchema = z
  .strictObject({
    input_file_id: z
      .string()
      .describe(
        'A file of the purpose `batch`: a line of JSON per request, with `custom_id`, `method`, `url` and `body`.',
      ),
    endpoint: z.enum(batchEndpoints).describe('The `url` of every request.'),
    completion_window: z.literal('24h'),
    metadata: z.record(z.string(), z.string().max(512)).nullish(),
    output_expires_after: z
      .object({ anchor: z.literal('created_at'), seconds: z.int().min(3_600).max(2_592_000) })
      .nullish()
      .describe('When the output files expire. After 30 days if it is absent.'),
  })
  .meta({ id: 'BatchRequest' });

const time = z.int().describe('Unix time in seconds.');
const problem = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
  line: z.int().nullable().describe('From 1.'),
});

export const batchSchema = z
  .object({
    id: z.string().describe('`batch_…`.'),
    object: z.literal('batch'),
    endpoint: z.string(),
    errors: z
      .object({ object: z.literal('list'), data: z.array(problem) })
      .optional()
      .describe('Why the input file is invalid.'),
    input_file_id: z.string(),
    completion_window: z.literal('24h'),
    status: z.enum([
      'validating',
      'failed',
      'in_progress',
      'finalizing',
      'completed',
      'expired',
      'cancelling',
      'cancelled',
    ]),
    output_file_id: z.string().optional().describe('The results of requests that succeeded.'),
    error_file_id: z.string().optional().describe('The results of the others.'),
    created_at: time,
    in_progress_at: time.optional(),
    expires_at: time,
    finalizing_at: time.optional(),
    completed_at: time.optional(),
    failed_at: time.optional(),
    expired_at: time.optional(),
    cancelling_at: time.optional(),
    cancelled_at: time.optional(),
    request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: 'Batch' });

export const batchListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(batchSchema),
    first_id: z.string().optional(),
    last_id: z.string().optional(),
    has_more: z.boolean(),
  })
  .meta({ id: 'BatchList' });

const tags = ['Batches'];
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`batch_…`.' };
const missing = failure('404', 'The account has no batch with this ID.');

const createBatch: Operation = {
  operationId: 'createBatch',
  summary: 'Create a batch',
  description:
    'Runs up to 50,000 requests of a file within 24 hours, whenever the server has room. They cost what they cost one by one.',
  tags,
  requestBody: { required: true, content: jsonBody('BatchRequest') },
  responses: {
    '200': { ...answer('The batch.', 'Batch', limited), links: linksById('retrieveBatch', 'cancelBatch') },
    ...refused,
    ...failing('413', '415'),
    '404': failure('404', 'The account has no file with this ID.'),
  },
};

const listBatches: Operation = {
  operationId: 'listBatches',
  summary: 'List batches',
  description: 'Lists batches, newest first.',
  tags,
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 100, default: 20 } },
    {
      name: 'after',
      in: 'query',
      schema: { type: 'string' },
      description: 'ID of the batch that the page starts after.',
    },
  ],
  responses: { '200': answer('A page of batches.', 'BatchList', limited), ...refused, '404': missing },
};

const retrieveBatch: Operation = {
  operationId: 'retrieveBatch',
  summary: 'Retrieve a batch',
  description: 'Returns the current state of a batch.',
  tags,
  parameters: [id],
  responses: { '200': answer('The batch.', 'Batch', limited), ...refused, '404': missing },
};

const cancelBatch: Operation = {
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description: 'Starts no more requests of a batch. Those that are running end. A batch that has ended is not changed.',
  tags,
  parameters: [id],
  responses: { '200': answer('The batch.', 'Batch', limited), ...refused, '404': missing },
};

export const batchPaths = {
  '/v1/batches': { get: listBatches, post: createBatch },
  '/v1/batches/{id}': { get: retrieveBatch },
  '/v1/batches/{id}/cancel': { post: cancelBatch },
} as const;
