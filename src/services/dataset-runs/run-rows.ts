import type { JudgeSettings } from './judge/judge-settings.ts';

/** A run as its account sees it. */
export interface RunRow {
  readonly id: string;
  readonly dataset_id: string | null;
  readonly name: string;
  readonly status: RunStatus;
  readonly scorers: readonly string[];
  readonly items: number;
  readonly temperature: number | null;
  readonly max_tokens: number | null;
  readonly judge: JudgeSettings | null;
  readonly member_id: string | null;
  readonly has_expired: boolean;
  /** Milliseconds since the epoch. */
  readonly created_ms: string;
  readonly started_ms: string | null;
  readonly ended_ms: string | null;
}

export type RunStatus = 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED';

const milliseconds = (name: string): string => `(extract(epoch from ${name}_at) * 1000)::bigint as ${name}_ms`;

export const runColumns = `
id, dataset_id, name, scorers, item_count as items, temperature, max_tokens, judge, member_id, coalesce(outcome = 'expired', false) as has_expired,
case when outcome = 'completed' then 'COMPLETED' when outcome = 'expired' then 'FAILED' when outcome is not null then 'CANCELLED'
  when cancel_asked_at is not null then 'CANCELLING' when started_at is null then 'QUEUED' else 'RUNNING' end as status,
${milliseconds('created')}, ${milliseconds('started')}, ${milliseconds('ended')}`;

/** Runs of dataset `$2`, or of the account if that is null, after a position (`$4`, `$5`), newest first unless backwards. */
export function pageOfRuns(backwards: boolean, isOfDataset: boolean): string {
  const [beyond, order] = backwards ? ['>', 'asc'] : ['<', 'desc'];
  return `
select ${runColumns} from dataset_runs
where account_id = $1 and ${isOfDataset ? 'dataset_id = $2' : '$2::uuid is null'} and ($4::timestamptz is null or (created_at, id) ${beyond} ($4, $5::uuid))
order by created_at ${order}, id ${order} limit $3`;
}

/** The items of run `$1` from line `$2` on: one, or as many as have `$3` bytes. */
export const inputPage = `
select line, item_id, content, wrapped_key from (
  select line, item_id, content, wrapped_key, sum(bytes) over (order by line) - bytes as bytes_before
  from dataset_run_items where run_id = $1 and line >= $2 and line < $2 + 64
) page where bytes_before <= $3 order by line`;

export const readRun = `
select temperature, max_tokens as "maxTokens", scorers, account_id as "accountId", model, item_count as items, judge, judges,
  (extract(epoch from created_at) * 1000)::float8 as "createdMs"
from dataset_runs join dataset_run_models on run_id = id and position = $2 where id = $1`;

export const startRun = `
update dataset_runs set started_at = clock_timestamp() where id = $1 and started_at is null`;

/** The event of a run of a line that another one follows. */
export const addEvent = `
insert into dataset_run_outputs (run_id, line, model, events) values ($1, $2, $3, array[$4::uuid])
on conflict (run_id, line, model) do update set events = dataset_run_outputs.events || excluded.events
where dataset_run_outputs.status is null and not dataset_run_outputs.events @> excluded.events`;

/** `$12`: whether the request is not billed. Its event is only stored where the line has no other: usage logs of all are awaited. */
export const insertOutput = `
insert into dataset_run_outputs
  (run_id, line, model, events, status, error_code, bytes, content, wrapped_key, digest, scores, is_metered)
values ($1, $2, $3, $4::uuid[], $5, $6, $7, $8, $9, $10, $11::text::jsonb, $12)
on conflict (run_id, line, model) do update set
  events = case when excluded.is_metered and dataset_run_outputs.events <> '{}' then dataset_run_outputs.events
    else (select array_agg(e) from unnest(dataset_run_outputs.events) e where e <> all(excluded.events)) || excluded.events end,
  status = excluded.status, error_code = excluded.error_code, bytes = excluded.bytes, content = excluded.content,
  wrapped_key = excluded.wrapped_key, digest = excluded.digest, scores = excluded.scores,
  is_metered = excluded.is_metered and dataset_run_outputs.events = '{}'
where dataset_run_outputs.status is null
returning bytes`;

export const addBytes = 'update dataset_runs set bytes = bytes + $2 where id = $1';

export const setWaiting = `
update dataset_run_models set waiting_for = $3
where run_id = $1 and position = $2 and waiting_for is distinct from $3 and outcome is null`;

export const lockRun = 'select id from dataset_runs where id = $1 for update';

/** A model that is judged has ended before its summary is known. */
export const endModel = `
update dataset_run_models set outcome = coalesce(outcome, $3), summary = $4::text::jsonb where run_id = $1 and position = $2`;

/** After the last batch of the run. */
export const endRun = `
update dataset_runs set ended_at = clock_timestamp(), outcome = (
  select case when bool_or(outcome = 'expired') then 'expired' when bool_or(outcome = 'cancelled') then 'cancelled'
    else 'completed' end from dataset_run_models where run_id = $1)
where id = $1 and ended_at is null and not exists (select from batches where dataset_run_id = $1)
returning id`;

/** The items are needed no longer. */
export const dropInput = `
update dataset_run_items set content = null, wrapped_key = null where run_id = $1`;

/** After the end, when only outputs are stored. */
export const countOutputBytes = `
update dataset_runs set bytes = (select coalesce(sum(bytes), 0) from dataset_run_outputs where run_id = $1) where id = $1`;

/** A batch of run `$1` for the model at `$2`, of `$4` items, as the key of `$5` to `$8`. */
export const insertBatch = `
insert into batches (id, account_id, api_key_id, member_id, is_by_session, protocol, endpoint, status, total, pass,
  created_at, started_at, expires_at, removed_after, dataset_run_id, dataset_run_model)
select $3, account_id, $5, $6, $7, 'openai', '/v1/chat/completions', 'in_progress', $4, 'run',
  clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '24 hours', clock_timestamp() + interval '30 days', id, $2
from dataset_runs where id = $1`;

/** Starts no more requests of run `$1`. */
export const cancelBatches = `
update batches set cancel_asked_at = coalesce(cancel_asked_at, clock_timestamp())
where dataset_run_id = $1 and account_id = $2 and ended_at is null returning id`;

export const insertRun = `
insert into dataset_runs
  (id, account_id, dataset_id, name, scorers, temperature, max_tokens, judge, item_count, member_id, created_at)
values ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8::text::jsonb, 0, $9, $10)`;

export const insertModel = `
insert into dataset_run_models (run_id, position, model, is_priced) values ($1, $2, $3, $4)`;

/** The items of dataset `$2` as they are now, encrypted as there. */
export const copyItems = `
with copied as (
  insert into dataset_run_items (run_id, line, item_id, position, bytes, content, wrapped_key)
  select $1, row_number() over (order by position) - 1, id, position, bytes, content, wrapped_key
  from dataset_items where dataset_id = $2
  returning bytes
)
update dataset_runs set item_count = (select count(*) from copied), bytes = (select coalesce(sum(bytes), 0) from copied)
where id = $1 returning item_count as items`;
