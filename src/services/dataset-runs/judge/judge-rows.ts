/** The judge of the model at `$3`, at position `$2` of run `$1`. */
export const insertJudge = `
insert into dataset_run_models (run_id, position, judges, model, is_priced) values ($1, $2, $3, $4, $5)`;

/** The judge of the model at `$2`, where the run has one. */
export const judgeOf = `
select j.position, r.item_count as items, r.cancel_asked_at is not null as "isCancelled", exists (
    select from dataset_run_outputs where run_id = $1 and model = $2 and status = 'completed'
  ) as "hasOutputs"
from dataset_run_models j join dataset_runs r on r.id = j.run_id
where j.run_id = $1 and j.judges = $2 and j.outcome is null`;

/** Items without an output of the model at `$3` are done in batch `$1` of run `$2`: there is nothing to judge. */
export const skipOthers = `
with skipped as (
  insert into batch_lines (batch_id, line, is_success, result)
  select $1, i.line, false, '' from dataset_run_items i
  where i.run_id = $2 and not exists (
    select from dataset_run_outputs o where o.run_id = $2 and o.line = i.line and o.model = $3 and o.status = 'completed'
  )
  returning line
)
update batches set errored = (select count(*) from skipped) where id = $1`;

/** The items of run `$1` from line `$2` on with the outputs of the model at `$4`: one, or as many as have `$3` bytes. */
export const judgedPage = `
select line, item_id, content, wrapped_key, output_content, output_key from (
  select i.line, i.item_id, i.content, i.wrapped_key, o.content as output_content, o.wrapped_key as output_key,
    sum(i.bytes + coalesce(o.bytes, 0)) over (order by i.line) - i.bytes - coalesce(o.bytes, 0) as bytes_before
  from dataset_run_items i
  left join dataset_run_outputs o on o.run_id = i.run_id and o.line = i.line and o.model = $4 and o.status = 'completed'
  where i.run_id = $1 and i.line >= $2 and i.line < $2 + 64
) page where bytes_before <= $3 order by line`;

/** The score `$5` at index `$4` of the scores of an output. */
export const setScore = `
update dataset_run_outputs set scores = jsonb_set(scores, array[$4::int::text], to_jsonb($5::double precision))
where run_id = $1 and line = $2 and model = $3 and scores is not null`;

export const judgedBy = 'select judges from dataset_run_models where run_id = $1 and position = $2';
