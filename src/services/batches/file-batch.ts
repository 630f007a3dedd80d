import type { Batch } from '../../database/entities/index.ts';
import { publicBatchId } from './batch-id.ts';
import { requestCounts } from './request-counts.ts';

/** The members that a list needs, among others. */
export interface FileBatch extends Readonly<Record<string, unknown>> {
  readonly id: string;
}

/** A batch as OpenAI's clients read it. Source: OpenAI's API document, Batch. */
export function toFileBatch(batch: Batch): FileBatch {
  const { endpoint, inputFileId, outputFileId, errorFileId, metadata, total } = batch;
  const { succeeded, errored } = requestCounts(batch);
  const { createdAt, startedAt, expiresAt, finalizingAt, cancelAskedAt, endedAt, problems, status } = batch;
  const isCancelling = cancelAskedAt !== null && endedAt === null;
  return {
    id: publicBatchId('openai', batch.id),
    object: 'batch',
    endpoint,
    ...(problems !== null && { errors: { object: 'list', data: problems } }),
    input_file_id: inputFileId ?? '',
    completion_window: '24h',
    status: isCancelling ? 'cancelling' : status,
    ...(outputFileId !== null && { output_file_id: outputFileId }),
    ...(errorFileId !== null && { error_file_id: errorFileId }),
    created_at: seconds(createdAt),
    ...at('in_progress_at', startedAt),
    expires_at: seconds(expiresAt),
    ...at('finalizing_at', finalizingAt),
    ...at('cancelling_at', cancelAskedAt),
    ...at(`${status}_at`, endedAt),
    request_counts: { total, completed: succeeded, failed: errored },
    metadata,
  };
}

/** Absent before it happened. */
function at(name: string, moment: Date | null): Record<string, number> {
  return moment === null ? {} : { [name]: seconds(moment) };
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1_000);
}
