import type { Batch } from '../../database/entities/index.ts';
import { publicBatchId } from './batch-id.ts';

/** A message batch as Anthropic's clients read it. Source: `MessageBatch` of `@anthropic-ai/sdk`. */
export interface MessageBatch {
  readonly id: string;
  readonly type: 'message_batch';
  readonly processing_status: 'in_progress' | 'canceling' | 'ended';
  readonly request_counts: Readonly<Record<'processing' | 'succeeded' | 'errored' | 'canceled' | 'expired', number>>;
  readonly created_at: string;
  readonly expires_at: string;
  readonly ended_at: string | null;
  readonly cancel_initiated_at: string | null;
  readonly archived_at: null;
  readonly results_url: string | null;
}

/** @param origin of its links: `https://gateway.example` */
export function toMessageBatch(batch: Batch, origin: string): MessageBatch {
  const { createdAt, expiresAt, endedAt, cancelAskedAt, resultsBlobId } = batch;
  const id = publicBatchId('anthropic', batch.id);
  return {
    id,
    type: 'message_batch',
    processing_status: endedAt !== null ? 'ended' : cancelAskedAt === null ? 'in_progress' : 'canceling',
    request_counts: countsOf(batch),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: cancelAskedAt?.toISOString() ?? null,
    archived_at: null,
    results_url: resultsBlobId === null ? null : `${origin}/v1/messages/batches/${id}/results`,
  };
}

/** All count as processing until the batch has ended. */
function countsOf({ total, succeeded, errored, status, endedAt }: Batch): MessageBatch['request_counts'] {
  if (endedAt === null) return { processing: total, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const unrun = total - succeeded - errored;
  const canceled = status === 'cancelled' ? unrun : 0;
  return { processing: 0, succeeded, errored, canceled, expired: unrun - canceled };
}
