import type { SqlClient } from '../../../database/sql.ts';

/** The outputs of one model of a run. */
export interface MeteredOutputs {
  readonly accountId: string;
  readonly datasetRunId: string;
  /** The position of the model. */
  readonly datasetRunModel: number;
}

/** Outputs that one statement reads. */
const PAGE = 200;

/**
 * Copies the figures of outputs from the usage log: the cost of all of their requests, and the rest of the last one. An output is
 * metered once each of its requests has its row, which another process may store later.
 */
const meter = (outputs: string): string => `
with page as (
  select line, events from dataset_run_outputs where run_id = $1 and model = $2 and ${outputs}
), figures as (
  select p.line, count(u.event_id) = cardinality(p.events) as is_complete, coalesce(sum(u.cost_nano), 0)::bigint as cost_nano,
    max(u.input_tokens) filter (where is_last) as input_tokens, max(u.output_tokens) filter (where is_last) as output_tokens,
    max(u.duration_ms) filter (where is_last) as duration_ms
  from page p
  join dataset_runs r on r.id = $1
  cross join unnest(p.events) with ordinality as e (id, place)
  cross join lateral (select place = cardinality(p.events) as is_last) l
  left join lateral (
    select event_id, cost_nano, input_tokens, output_tokens, duration_ms from usage_logs
    where event_id = e.id and account_id = $3 and began_at >= r.created_at - interval '1 hour'
  ) u on true
  group by p.line, p.events
), metered as (
  update dataset_run_outputs o set cost_nano = f.cost_nano, input_tokens = f.input_tokens, output_tokens = f.output_tokens,
    duration_ms = f.duration_ms, is_metered = f.is_complete
  from figures f
  where o.run_id = $1 and o.model = $2 and o.line = f.line and not o.is_metered
    and (f.is_complete or (o.cost_nano, o.duration_ms) is distinct from (f.cost_nano, f.duration_ms))
)
select max(line) as last from page`;

const meterNext = meter('status is not null and not is_metered and line > $4 order by line limit $5');

const meterOpen = meter('status is null');

/** Whether an output has no figures yet. */
export const hasUnmetered = `
select exists (
  select from dataset_run_outputs where run_id = $1 and model = $2 and status is not null and not is_metered
) as found`;

/**
 * Meters the first outputs without figures, of those after a line.
 * @returns the line of the last one; null where there is none
 */
export async function meterPage(
  client: SqlClient,
  { accountId, datasetRunId, datasetRunModel }: MeteredOutputs,
  after: number,
  limit = PAGE,
): Promise<number | null> {
  const values = [datasetRunId, datasetRunModel, accountId, after, limit];
  return (await client.query<{ last: number | null }>(meterNext, values)).rows[0]?.last ?? null;
}

/** Meters the requests of a model that is cancelled or expired that were to run again. They have cost something, too. */
export async function meterUnfinished(
  client: SqlClient,
  { accountId, datasetRunId, datasetRunModel }: MeteredOutputs,
): Promise<void> {
  await client.query(meterOpen, [datasetRunId, datasetRunModel, accountId]);
}

/** Meters all outputs of a model that ends. */
export async function meterAll(client: SqlClient, outputs: MeteredOutputs): Promise<void> {
  for (let after: number | null = -1; after !== null;) after = await meterPage(client, outputs, after);
  await meterUnfinished(client, outputs);
}
