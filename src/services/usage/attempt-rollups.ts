import { isOutputTimed } from './output-speed.ts';

const MAX_NAME_LENGTH = 256;

/**
 * SQL: attempts of stored requests. A failure is an attempt without a response or with status 500 and above, as in `classify`; a
 * response that rejects the request comes from a working provider; one that reports a rate limit or rejects the credentials is
 * neither. Omitted are attempts of cancelled requests, answers of the cache, and attempts that were refused before they were
 * sent: those have no status, and their error is none of the provider's.
 */
export const tried = `
select account_id, date_bin(interval '1 hour', began_at, '2000-01-01T00:00:00Z') as bucket, left(attempt ->> 'provider', ${MAX_NAME_LENGTH}) as provider,
  left((attempt ->> 'provider') || '/' || (attempt ->> 'model'), ${MAX_NAME_LENGTH}) as model, capability,
  coalesce((attempt ->> 'own')::boolean, false) as own_connection, coalesce(attempt ->> 'error', '') as code,
  attempt ->> 'error' is null or ((attempt ->> 'status')::int between 400 and 499 and (attempt ->> 'status')::int not in (401, 402, 403, 429)) as works,
  attempt ->> 'error' is not null and coalesce((attempt ->> 'status')::int, 500) >= 500 as fails,
  case when ${isOutputTimed} and attempt ->> 'error' is null and position = jsonb_array_length(attempts) then output_tokens end as streamed_tokens,
  duration_ms - first_token_ms as streamed_ms
from stored cross join lateral jsonb_array_elements(case jsonb_typeof(attempts) when 'array' then attempts end) with ordinality as each(attempt, position)
where status not in ('aborted', 'rejected') and attempt ->> 'provider' <> 'cache' and attempt ->> 'model' is not null
  and (attempt ->> 'error' is null or (attempt ->> 'status') is not null
    or (starts_with(attempt ->> 'error', 'provider_') and attempt ->> 'error' <> 'provider_credentials'))`;

const keys = 'account_id, bucket, provider, model, capability, own_connection, code';
const sums = ['attempts', 'successes', 'failures', 'streamed_tokens', 'streamed_ms'];

/** In the order of the primary key, so that concurrent statements cannot deadlock. */
export const rollUpAttempts = `
insert into attempt_rollups (${keys}, ${sums.join(', ')})
select ${keys}, count(*), count(*) filter (where works), count(*) filter (where fails),
  coalesce(sum(streamed_tokens), 0), coalesce(sum(streamed_ms) filter (where streamed_tokens is not null), 0)
from tried group by ${keys} order by ${keys}
on conflict (${keys}) do update set ${sums.map((name) => `${name} = attempt_rollups.${name} + excluded.${name}`).join(', ')}`;
