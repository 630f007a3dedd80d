import type { SqlClient } from '../../database/sql.ts';
import type { Database } from '../../database/database.ts';
import { storableText } from '../../database/storable-text.ts';
import type {
  BatchPass,
  InputPosition,
  LeasedBatch,
  LineFailure,
  LineResult,
  LineRetry,
  StoredLine,
} from '../../gateway/batches/batch.ts';
import type { LineResponse } from '../../gateway/batches/provider/provider-batch.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { PAGE_BYTES } from './bounded-page.ts';
import { failuresAfter, linesWithin, ms, resultsAfter, storeRetry } from './line-rows.ts';

const columns = `
id, lease_token as token, account_id as "accountId", api_key_id as "apiKeyId", member_id as "memberId",
is_by_session as "isBySession", protocol, endpoint, beta, status, input_file_id as "inputFileId",
input_blob_id as "inputBlobId", output_seconds as "outputSeconds", total, cancel_asked_at is not null as "isCancelled",
${ms('expires_at')} as "expiresAt", input_offset as "inputOffset", next_line as "nextLine", ${ms('lines_began_at')} as "linesBeganAt", pass,
dataset_run_id as "datasetRunId", dataset_run_model as "datasetRunModel"`;

/** A lease that was released, and not lost, leaves no line that may be billed already: they get a new time. */
const claimOne = `
with next as (
  select id as next_id, lease_until is null as is_fresh from batches
  where ended_at is null and (lease_until is null or lease_until <= clock_timestamp())
    and (wait_until is null or wait_until <= clock_timestamp() or cancel_asked_at > turn_at)
  order by account_id = any($2::uuid[]), turn_at nulls first limit 1 for update skip locked
)
update batches set lease_token = lease_token + 1, wait_until = null, turn_at = clock_timestamp(),
  lease_until = clock_timestamp() + $1 * interval '1 millisecond',
  lines_began_at = case when next.is_fresh then clock_timestamp() else coalesce(lines_began_at, clock_timestamp()) end
from next where id = next.next_id
returning ${columns}, next.is_fresh as "isFresh"`;

const renewOne = `
update batches set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
where id = $1 and lease_token = $2 and ended_at is null returning cancel_asked_at is not null as "isCancelled"`;

const releaseOne = 'update batches set lease_until = null where id = $1 and lease_token = $2 and ended_at is null';

/** The batch is locked, so that its lease cannot be given away meanwhile. */
const holdBatch = 'select from batches where id = $1 and lease_token = $2 and ended_at is null for update';

const insertResults = `
insert into batch_lines (batch_id, line, is_success, result)
select $1, * from unnest($2::int[], $3::boolean[], $4::text[])
on conflict (batch_id, line) do update set is_success = excluded.is_success, result = excluded.result, answer = null
where batch_lines.is_success is null
returning is_success as "isSuccess", provider_batch_id is not null as "isRemote"`;

/** Results of providers are no longer counted as theirs; where a provider reported another outcome, in total. */
const count = `
update batches set succeeded = succeeded + $2, errored = errored + $3,
  provider_succeeded = greatest(0, provider_succeeded - $4::int - greatest(0, $5::int - provider_errored)),
  provider_errored = greatest(0, provider_errored - $5::int - greatest(0, $4::int - provider_succeeded))
where id = $1`;

const moveOn = `
update batches set input_offset = $3, next_line = $4, lines_began_at = clock_timestamp()
where id = $1 and lease_token = $2 and ended_at is null returning ${ms('lines_began_at')} as "linesBeganAt"`;

const beginPass = `
update batches set pass = $3, input_offset = 0, next_line = 0, lines_began_at = clock_timestamp()
where id = $1 and lease_token = $2 and ended_at is null returning ${ms('lines_began_at')} as "linesBeganAt"`;

const wait = `
update batches set wait_until = clock_timestamp() + $3 * interval '1 millisecond'
where id = $1 and lease_token = $2 and ended_at is null`;

type Lease = Pick<LeasedBatch, 'id' | 'token'>;
type Answer = Pick<LineResponse, 'status' | 'body'>;

/** The rows of batches that run, for the process that holds their lease. All methods throw SluiceError database_unavailable. */
export class BatchLeases {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(leaseMs: number, accounts: readonly string[]): Promise<LeasedBatch | null> {
    return (await this.#rows<LeasedBatch>(claimOne, [leaseMs, accounts]))[0] ?? null;
  }

  /** Ends all leases: only where no other process runs batches. Their lines may be billed already. */
  async endAll(): Promise<void> {
    await this.#rows(
      'update batches set lease_until = created_at where ended_at is null and lease_until is not null',
      [],
    );
  }

  async renew({ id, token }: Lease, leaseMs: number): Promise<{ readonly isCancelled: boolean } | null> {
    return (await this.#rows<{ isCancelled: boolean }>(renewOne, [id, token, leaseMs]))[0] ?? null;
  }

  async release({ id, token }: Lease): Promise<void> {
    await this.#rows(releaseOne, [id, token]);
  }

  lines({ id }: Lease, first: number, end: number): Promise<readonly StoredLine[]> {
    return this.#rows<StoredLine>(linesWithin, [id, first, end]);
  }

  async answer({ id }: Lease, line: number): Promise<Answer | null> {
    const text = `
      select answer_status as status, answer as body from batch_lines
      where batch_id = $1 and line = $2 and answer is not null`;
    return (await this.#rows<Answer>(text, [id, line]))[0] ?? null;
  }

  results({ id }: Lease, afterLine: number, limit: number): Promise<readonly LineResult[]> {
    return this.#rows<LineResult>(resultsAfter, [id, afterLine, limit, PAGE_BYTES]);
  }

  async retry({ id, token }: Lease, next: LineRetry): Promise<boolean> {
    const { line, attempt, beganAt, failures, retryAt, lastError } = next;
    const message = lastError === null ? null : storableText(lastError);
    return (await this.#rows(storeRetry, [id, token, line, attempt, beganAt, failures, retryAt, message])).length > 0;
  }

  failures({ id }: Lease, afterLine: number, limit: number): Promise<readonly LineFailure[]> {
    return this.#rows<LineFailure>(failuresAfter, [id, afterLine, limit, PAGE_BYTES]);
  }

  async hasFailed({ accountId }: Pick<LeasedBatch, 'accountId'>, eventId: string, beganAt: number): Promise<boolean> {
    const text = `
      select event_id from usage_logs
      where account_id = $1 and event_id = $2 and began_at = to_timestamp($3::double precision / 1000)
        and status <> 'succeeded'`;
    return (await this.#rows(text, [accountId, eventId, beganAt])).length > 0;
  }

  /** @param store stores more in the same transaction */
  record(
    { id, token }: Lease,
    results: readonly LineResult[],
    store: (client: SqlClient) => Promise<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    return this.whileHeld({ id, token }, async (client) => {
      await store(client);
      const values = [
        id,
        results.map(({ line }) => line),
        results.map(({ isSuccess }) => isSuccess),
        results.map(({ result }) => result),
      ];
      const { rows } = await client.query<{ isSuccess: boolean; isRemote: boolean }>(insertResults, values);
      const [all, remote] = [countsOf(rows), countsOf(rows.filter(({ isRemote }) => isRemote))];
      await client.query(count, [id, ...all, ...remote]);
    });
  }

  async advance({ id, token }: Lease, { offset, line }: InputPosition): Promise<number | null> {
    const [row] = await this.#rows<{ linesBeganAt: number }>(moveOn, [id, token, offset, line]);
    return row?.linesBeganAt ?? null;
  }

  async startPass(batch: LeasedBatch, pass: BatchPass): Promise<LeasedBatch | null> {
    const [row] = await this.#rows<{ linesBeganAt: number }>(beginPass, [batch.id, batch.token, pass]);
    return row === undefined ? null : { ...batch, ...row, pass, inputOffset: 0, nextLine: 0, isFresh: true };
  }

  async isDone({ id }: Lease): Promise<boolean> {
    const text = 'select succeeded + errored >= total as "isDone" from batches where id = $1';
    return (await this.#rows<{ isDone: boolean }>(text, [id]))[0]?.isDone === true;
  }

  async waitFor({ id, token }: Lease, ms: number): Promise<void> {
    await this.#rows(wait, [id, token, ms]);
  }

  /** Runs statements while no other process can get the lease. @returns false where one has it */
  whileHeld({ id, token }: Lease, run: (client: SqlClient) => Promise<void>): Promise<boolean> {
    return mapDatabaseErrors(() =>
      this.#database.transaction(async (client) => {
        const { rows } = await client.query(holdBatch, [id, token]);
        if (rows.length === 0) return false;
        await run(client);
        return true;
      }),
    );
  }

  #rows<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return mapDatabaseErrors(() => this.#database.query<Row>(text, [...values]));
  }
}

/** Those that have succeeded, and the others. */
function countsOf(rows: readonly { readonly isSuccess: boolean }[]): [succeeded: number, errored: number] {
  const succeeded = rows.filter(({ isSuccess }) => isSuccess).length;
  return [succeeded, rows.length - succeeded];
}
