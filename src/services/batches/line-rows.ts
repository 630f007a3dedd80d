import { boundedPage } from './bounded-page.ts';

/** @param column a `timestamptz` @returns its milliseconds since the epoch */
export const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::double precision`;

/** The rows of a batch `$1` from line `$2` to before `$3`. */
export const linesWithin = `
select line, attempt, ${ms('began_at')} as "beganAt", failures, ${ms('retry_at')} as "retryAt",
  is_success is not null as "isDone", provider_batch_id as "providerBatchId", octet_length(answer) as "answerBytes"
from batch_lines where batch_id = $1 and line >= $2 and line < $3`;

/** Stores the next run of line `$3`, for the holder of lease `$2`. */
export const storeRetry = `
insert into batch_lines (batch_id, line, attempt, began_at, failures, retry_at, last_error)
select id, $3, $4, to_timestamp($5::double precision / 1000), $6, to_timestamp($7::double precision / 1000), $8
from batches where id = $1 and lease_token = $2 and ended_at is null
on conflict (batch_id, line) do update set attempt = excluded.attempt, began_at = excluded.began_at,
  failures = excluded.failures, retry_at = excluded.retry_at, last_error = coalesce(excluded.last_error, batch_lines.last_error)
where batch_lines.is_success is null
returning line`;

export const resultsAfter = boundedPage(
  'line, is_success as "isSuccess", result',
  'result',
  'batch_id = $1 and line > $2 and is_success is not null',
);

export const failuresAfter = boundedPage(
  'line, last_error as message',
  'last_error',
  'batch_id = $1 and line > $2 and is_success is null and last_error is not null',
);
