import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import { anthropicMessage } from './anthropic-schema.ts';

/** What Sluice makes of message batches, strictly. Source: the types of `@anthropic-ai/sdk` 1.14.0. */
const count = z.int().min(0);
const time = z.iso.datetime();

export const anthropicBatch = z.strictObject({
  id: z.string().regex(/^msgbatch_[0-9a-f]{32}$/),
  type: z.literal('message_batch'),
  processing_status: z.enum(['in_progress', 'canceling', 'ended']),
  request_counts: z.strictObject({
    processing: count,
    succeeded: count,
    errored: count,
    canceled: count,
    expired: count,
  }),
  created_at: time,
  expires_at: time,
  ended_at: time.nullable(),
  cancel_initiated_at: time.nullable(),
  archived_at: z.null(),
  results_url: z.url().nullable(),
});

const error = z.strictObject({
  type: z.literal('error'),
  error: z.strictObject({
    type: z.enum(['invalid_request_error', 'authentication_error', 'permission_error', 'not_found_error', 'api_error']),
    message: z.string().min(1),
  }),
  request_id: z.string().regex(/^req_[0-9a-f]{32}$/),
});

export const anthropicBatchResult = z.strictObject({
  custom_id: z.string().min(1),
  result: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('succeeded'), message: anthropicMessage }),
    z.strictObject({ type: z.literal('errored'), error }),
    z.strictObject({ type: z.literal('canceled') }),
    z.strictObject({ type: z.literal('expired') }),
  ]),
});

/**
 * They compile only while every value that passes is one of the SDK's.
 * @public
 */
export const batchAsTyped = (batch: z.infer<typeof anthropicBatch>): Anthropic.Messages.MessageBatch => batch;
/** @public */
export const batchResultAsTyped = (
  result: z.infer<typeof anthropicBatchResult>,
): Anthropic.Messages.MessageBatchIndividualResponse => result;
