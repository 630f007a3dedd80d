/** The figures of one model of a run. */
export interface ModelSummary {
  readonly completed: number;
  readonly failed: number;
  /** Decimal nano-USD. */
  readonly costNano: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the requests that succeeded; null without one. */
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  /** Of the whole duration: requests of batches do not stream. */
  readonly outputTokensPerSecond: number | null;
  /** For each scorer of the run, in their order, where any output has a score. `scorer` counts from 0. */
  readonly scores: readonly { readonly scorer: number; readonly average: number; readonly count: number }[];
  /** The most frequent first. */
  readonly errors: readonly { readonly code: string; readonly count: number }[];
}

export interface ModelFigures extends ModelSummary {
  readonly runId: string;
  readonly model: number;
}

/** Of outputs with a status. Codes of errors are those of providers, too. */
const MAX_ERROR_CODES = 20;

/** @param outputs those that are counted @param scored which scores of them are */
const figuresOf = (outputs: string, scored: string): string => `
with outputs as (
  select run_id, model, line, status, error_code, scores, cost_nano, input_tokens, output_tokens, duration_ms
  from dataset_run_outputs where run_id = any($1::uuid[]) and ${outputs}
), totals as (
  select run_id, model, count(*) filter (where status = 'completed')::int as completed,
    count(*) filter (where status = 'failed')::int as failed, sum(cost_nano)::text as "costNano",
    coalesce(sum(input_tokens) filter (where status is not null), 0)::double precision as "inputTokens",
    coalesce(sum(output_tokens) filter (where status is not null), 0)::double precision as "outputTokens",
    percentile_cont(0.5) within group (order by duration_ms) filter (where status = 'completed') as "latencyP50Ms",
    percentile_cont(0.95) within group (order by duration_ms) filter (where status = 'completed') as "latencyP95Ms",
    (sum(output_tokens) filter (where status = 'completed') * 1000.0
      / nullif(sum(duration_ms) filter (where status = 'completed'), 0))::double precision as "outputTokensPerSecond"
  from outputs group by run_id, model
), scored as (
  select run_id, model, json_agg(json_build_object('scorer', scorer, 'average', average, 'count', count) order by scorer) as scores
  from (
    select run_id, model, (place - 1)::int as scorer, avg(value::numeric)::double precision as average, count(*)::int as count
    from ${scored} where value is not null group by run_id, model, place
  ) each_score group by run_id, model
), erred as (
  select run_id, model, json_agg(json_build_object('code', error_code, 'count', count) order by count desc, error_code) as errors
  from (
    select run_id, model, error_code, count(*)::int as count, row_number() over (partition by run_id, model order by count(*) desc) as place
    from outputs where error_code is not null group by run_id, model, error_code
  ) each_code where place <= ${MAX_ERROR_CODES} group by run_id, model
)
select totals.run_id as "runId", totals.model, completed, failed, "costNano", "inputTokens", "outputTokens", "latencyP50Ms",
  "latencyP95Ms", "outputTokensPerSecond", coalesce(scored.scores, '[]'::json) as scores, coalesce(erred.errors, '[]'::json) as errors
from totals left join scored using (run_id, model) left join erred using (run_id, model)
order by totals.run_id, totals.model`;

const allScores = 'outputs, jsonb_array_elements_text(scores) with ordinality as e (value, place)';

/** The figures of each model of runs `$1`, or of that at `$2`. A model without outputs has no row. */
export const summarize = figuresOf('($2::int is null or model = $2)', allScores);

/**
 * The same of one run (`$1`) with `$2` models, of the items that all of them completed; scores are of those of them for which all
 * models have one. A model has no row where there is no such item.
 */
export const summarizeCommon = figuresOf(
  `model < $2::int and line in (
    select line from dataset_run_outputs
    where run_id = any($1::uuid[]) and model < $2::int and status = 'completed' group by line having count(*) = $2::int
  )`,
  `(
    select run_id, model, place, case when count(value) over (partition by line, place) = $2::int then value end as value
    from ${allScores}
  ) compared`,
);

export const noFigures: ModelSummary = {
  completed: 0,
  failed: 0,
  costNano: '0',
  inputTokens: 0,
  outputTokens: 0,
  latencyP50Ms: null,
  latencyP95Ms: null,
  outputTokensPerSecond: null,
  scores: [],
  errors: [],
};
