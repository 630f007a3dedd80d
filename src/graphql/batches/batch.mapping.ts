import type { Batch as BatchRow } from '../../database/entities/index.ts';
import { publicBatchId } from '../../services/batches/batch-id.ts';
import { requestCounts } from '../../services/batches/request-counts.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { BatchStatus, type Batch } from './batch.types.ts';

const statuses: Readonly<Record<BatchRow['status'], BatchStatus>> = {
  validating: BatchStatus.VALIDATING,
  in_progress: BatchStatus.IN_PROGRESS,
  finalizing: BatchStatus.FINALIZING,
  completed: BatchStatus.COMPLETED,
  failed: BatchStatus.FAILED,
  expired: BatchStatus.EXPIRED,
  cancelled: BatchStatus.CANCELLED,
};

export function toBatch(row: BatchRow): Batch {
  const { id, protocol, endpoint, status, total, cancelAskedAt, endedAt } = row;
  const { inputFileId, outputFileId, errorFileId, createdAt, expiresAt, problems } = row;
  return {
    id: toGlobalId('Batch', id),
    batchId: publicBatchId(protocol, id),
    endpoint,
    status: cancelAskedAt !== null && endedAt === null ? BatchStatus.CANCELLING : statuses[status],
    total,
    ...requestCounts(row),
    errors: problems ?? [],
    inputFileId,
    outputFileId,
    errorFileId,
    createdAt,
    endedAt,
    expiresAt,
  };
}
