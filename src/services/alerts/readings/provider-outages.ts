import type { Database } from '../../../database/database.ts';
import type { Observation } from './observation.ts';

const MINUTE_MS = 60_000;
/** Beyond the threshold, so that a long outage shows a growing value. */
const LOOK_BACK_MS = 15 * MINUTE_MS;

export interface ProviderOutage {
  readonly provider: string;
  /** Since the first failure after the last success; 0 if the last attempt succeeded; null for too few failures. */
  readonly minutes: number | null;
}

/**
 * Per provider, from the attempts of recent requests, also those that another provider then served. A failure is an attempt
 * without a response or with status 500 and above, as in `classify`; a response that rejects the request comes from a working
 * provider; one that reports a rate limit or rejects the credentials says neither. Nor does an attempt that was refused before it
 * was sent: it has no status, and its error is none of the provider's.
 */
const attempts = `
with tried as (
  select began_at, attempt ->> 'provider' as provider,
    attempt ->> 'error' is null or (attempt ->> 'status')::int between 400 and 499 as works,
    attempt ->> 'error' is not null and coalesce((attempt ->> 'status')::int, 500) >= 500 as fails
  from usage_logs cross join lateral jsonb_array_elements(attempts) as each(attempt)
  where account_id = $1 and began_at >= $2 and began_at <= $3 and status <> 'aborted'
    and ($4::text is null or attempt ->> 'provider' = $4) and ($5::text is null or model = $5)
    and coalesce((attempt ->> 'status')::int, 0) not in (401, 402, 403, 429)
    and (attempt ->> 'error' is null or (attempt ->> 'status') is not null
      or (starts_with(attempt ->> 'error', 'provider_') and attempt ->> 'error' <> 'provider_credentials'))
), last as (
  select provider, max(began_at) filter (where works) as worked_at from tried group by provider
)
select provider, count(*) filter (where fails and tried.began_at >= coalesce(worked_at, '-infinity'))::int as failures,
  (extract(epoch from min(tried.began_at) filter (where fails and tried.began_at >= coalesce(worked_at, '-infinity'))) * 1000)::float8
    as since
from tried join last using (provider) group by provider order by provider limit 100`;

/** Finds providers that failed every recent attempt of an account. */
export class ProviderOutages {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  async read(accountId: string, observed: Observation, now: number): Promise<readonly ProviderOutage[]> {
    const { threshold, minimum, filter } = observed;
    const from = new Date(now - threshold * MINUTE_MS - LOOK_BACK_MS);
    const rows = await this.#database.query<{ provider: string; failures: number; since: number | null }>(attempts, [
      accountId,
      from,
      new Date(now),
      filter.provider ?? null,
      filter.model ?? null,
    ]);
    return rows.map(({ provider, failures, since }) => {
      if (since === null) return { provider, minutes: 0 };
      return { provider, minutes: failures < minimum ? null : (now - since) / MINUTE_MS };
    });
  }
}
