/** An item of a run. */
export interface ResultLine {
  readonly line: number;
  readonly item_id: string;
  readonly position: number;
  /** Of its outputs, before they are compressed. */
  readonly output_bytes: number;
}

export interface OutputRow {
  readonly line: number;
  readonly model: number;
  /** Null while it runs again. */
  readonly status: 'completed' | 'failed' | null;
  readonly event_id: string | null;
  readonly error_code: string | null;
  readonly content: Buffer | null;
  readonly wrapped_key: Buffer | null;
  readonly scores: readonly (number | null)[] | null;
  readonly is_metered: boolean;
  readonly cost_nano: string;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly duration_ms: number | null;
}

/**
 * Items of run `$1` after a line (`$3`): at most `$2`, and no more once they have `$6` bytes with their outputs, but always the
 * first. `$4`: only those with an output that failed, `$5`: with different outputs.
 */
export function pageOfLines(backwards: boolean): string {
  const [beyond, order] = backwards ? ['<', 'desc'] : ['>', 'asc'];
  return `
select line, item_id, position, output_bytes, found > place as more from (
  select first_lines.*, sum(bytes + output_bytes) over (order by line ${order}) as bytes_until, count(*) over () as found,
    row_number() over (order by line ${order}) as place
  from (
    select i.line, i.item_id, i.position, i.bytes, o.output_bytes
    from dataset_run_items i
    cross join lateral (
      select coalesce(sum(bytes), 0)::int as output_bytes, coalesce(bool_or(status = 'failed' and model < (
          select count(*) from dataset_run_models where run_id = $1 and judges is null
        )), false) as has_failed,
        count(distinct digest) > 1 as is_different
      from dataset_run_outputs where run_id = i.run_id and line = i.line
    ) o
    where i.run_id = $1 and ($3::int is null or i.line ${beyond} $3)
      and (not $4::boolean or o.has_failed) and (not $5::boolean or o.is_different)
    order by i.line ${order} limit $2::int + 1
  ) first_lines
) page
where place <= $2 and (place = 1 or bytes_until <= $6)
order by line ${order}`;
}

/** @param withContent otherwise it is null */
export const outputsOf = (withContent: boolean): string => `
select line, model, status, events[cardinality(events)] as event_id, error_code, ${withContent ? 'content, wrapped_key' : 'null as content, null as wrapped_key'}, scores, is_metered,
  cost_nano::text as cost_nano, input_tokens, output_tokens, duration_ms
from dataset_run_outputs where run_id = $1 and line = any($2::int[])`;
