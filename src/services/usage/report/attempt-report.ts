import type { Database } from '../../../database/database.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';

/** One model, or all models of a provider. */
export type AttemptSubject = { readonly model: string } | { readonly provider: string };

export interface AttemptSums {
  readonly attempts: number;
  /** Responses of a working provider, also those that reject the request. */
  readonly successes: number;
  /** Attempts without a response, or with status 500 and above. */
  readonly failures: number;
  /** Attempts with an error of any kind. */
  readonly errors: number;
  /** Mean over streamed responses; null without any. */
  readonly tokensPerSecond: number | null;
}

export interface AttemptReport {
  readonly total: AttemptSums;
  /** By the index of the interval; intervals without attempts are missing. */
  readonly byInterval: ReadonlyMap<number, AttemptSums>;
  readonly byModel: ReadonlyMap<string, AttemptSums>;
  /** By error code, most frequent first. */
  readonly byCode: readonly { readonly code: string; readonly attempts: number }[];
}

/** Groups of each kind; those with the most attempts count. */
const MAX_GROUPS = 200;

interface Row {
  readonly slot: number | null;
  readonly model: string | null;
  readonly code: string | null;
  readonly attempts: string;
  readonly successes: string;
  readonly failures: string;
  readonly errors: string;
  readonly streamed_tokens: string;
  readonly streamed_ms: string;
}

function query(column: 'model' | 'provider'): string {
  return `
select * from (
  select slot, model, code, attempts, successes, failures, errors, streamed_tokens, streamed_ms,
    row_number() over (partition by slot is null, model is null, code is null order by slot, attempts desc, model, code) as place
  from (
    select slot, model, code, sum(attempts) as attempts, sum(successes) as successes, sum(failures) as failures,
      coalesce(sum(attempts) filter (where code <> ''), 0) as errors, sum(streamed_tokens) as streamed_tokens, sum(streamed_ms) as streamed_ms
    from (
      select greatest(width_bucket(bucket, $5::timestamptz[]) - 1, 0) as slot, model, code, attempts, successes, failures, streamed_tokens, streamed_ms
      from attempt_rollups where account_id = $1 and bucket >= $2 and bucket < $3 and ${column} = $4
    ) as counted
    group by grouping sets ((), (slot), (model), (code))
  ) as summed
) as ranked where slot is not null or place <= ${MAX_GROUPS}`;
}

/** Sums an account's attempts at providers from their roll-ups: the cost grows with hours and models, not with requests. */
export class AttemptReporter {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /**
   * An hour of attempts counts in the interval in which it begins, or in the first one.
   * @param starts of the intervals, in ascending order
   * @throws SluiceError database_unavailable
   */
  async report(
    accountId: string,
    subject: AttemptSubject,
    range: { readonly from: Date; readonly to: Date },
    starts: readonly Date[],
  ): Promise<AttemptReport> {
    const [column, name] =
      'model' in subject ? (['model', subject.model] as const) : (['provider', subject.provider] as const);
    const values = [accountId, range.from, range.to, name, [...starts]];
    const rows = await mapDatabaseErrors(() => this.#database.query<Row>(query(column), values));
    const isTotal = (row: Row): boolean => row.slot === null && row.model === null && row.code === null;
    return {
      total: sumsOf(rows.find(isTotal)),
      byInterval: new Map(rows.flatMap((row) => (row.slot === null ? [] : [[row.slot, sumsOf(row)] as const]))),
      byModel: new Map(rows.flatMap((row) => (row.model === null ? [] : [[row.model, sumsOf(row)] as const]))),
      byCode: rows
        .flatMap(({ code, attempts }) => (code === null || code === '' ? [] : [{ code, attempts: Number(attempts) }]))
        .toSorted((a, b) => b.attempts - a.attempts || (a.code < b.code ? -1 : 1)),
    };
  }
}

function sumsOf(row: Row | undefined): AttemptSums {
  const ms = Number(row?.streamed_ms ?? 0);
  return {
    attempts: Number(row?.attempts ?? 0),
    successes: Number(row?.successes ?? 0),
    failures: Number(row?.failures ?? 0),
    errors: Number(row?.errors ?? 0),
    tokensPerSecond: ms > 0 ? (Number(row?.streamed_tokens ?? 0) * 1_000) / ms : null,
  };
}
