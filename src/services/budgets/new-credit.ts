import type { Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';

/** A posting becomes visible at commit, up to this long after its number was assigned. */
const SLACK_MS = 60_000;

interface Row {
  readonly newest: string;
  readonly postings: readonly { readonly id: string; readonly account: string }[] | null;
}

/**
 * Finds accounts whose balance another process changed by other postings than usage. By the sequence numbers of postings,
 * which need no index.
 */
export class NewCredit {
  readonly #database: Pick<Database, 'query'>;
  readonly #clock: Clock;
  /** The newest posting and the time of each poll, by the clock's `monotonic`. */
  readonly #marks: { readonly at: number; readonly newest: string }[] = [];
  #reported: ReadonlySet<string> = new Set();

  constructor(database: Pick<Database, 'query'>, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Accounts since the last poll; none at the first. */
  async poll(): Promise<ReadonlySet<string>> {
    const now = this.#clock.monotonic();
    while ((this.#marks[1]?.at ?? Infinity) <= now - SLACK_MS) this.#marks.shift();
    const since = this.#marks[0]?.newest ?? null;
    const [row] = await this.#database.query<Row>(
      `select coalesce(max(id), $1::bigint, (select max(id) from ledger_postings), 0)::text as newest,
        json_agg(json_build_object('id', id::text, 'account', account_id)) filter (where kind <> 'settlement') as postings
      from ledger_postings where id > coalesce($1::bigint, (select max(id) from ledger_postings))`,
      [since],
    );
    const postings = row?.postings ?? [];
    const unreported = postings.filter(({ id }) => !this.#reported.has(id));
    this.#reported = new Set(postings.map(({ id }) => id));
    this.#marks.push({ at: now, newest: row?.newest ?? '0' });
    return new Set(unreported.map(({ account }) => account));
  }
}
