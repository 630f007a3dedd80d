import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import type {
  AbandonedRun,
  RepeatableRequest,
  RunError,
  RunLease,
} from '../../gateway/capabilities/responses/background/run-store.ts';
import type { ResponseObject } from '../../gateway/capabilities/responses/response-object.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { storableJson } from '../storable-json.ts';

/** Runs of a response, the first one included. */
const MAX_ATTEMPTS = 5;
const MAX_AGE_HOURS = 24;

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::double precision`;

const columns = `
id, account_id as "accountId", api_key_id as "apiKeyId", member_id as "memberId", previous_id as "previousId", input, request,
response, event_id as "eventId", lease_token as token, attempt, cancel_asked_at is not null as "isCancelled",
created_at < clock_timestamp() - interval '${MAX_AGE_HOURS} hours' as "isOld"`;

const lockAbandoned = `
select ${columns} from responses where completed_at is null and lease_until <= clock_timestamp()
  and not id = any($1::uuid[])
order by lease_until limit 1 for update skip locked`;

const lockHeld = `
select id, response from responses where id = $1 and lease_token = $2 and completed_at is null for update`;

/** In a separate statement, which sees all events stored so far; no more can be stored now. */
const lastEvent = `
select sequence_number as "sequenceNumber", event as json from response_events where response_id = $1
order by sequence_number desc limit 1`;

/** The usage of a run that was billed as complete. */
const billed = `
select ${ms('began_at')} as "beganAt", cost_nano::text as "costNano" from usage_logs
where account_id = $1 and event_id = $2 and status = 'succeeded' and began_at > now() - interval '${MAX_AGE_HOURS * 2} hours'`;

const renewLease = `
update responses set lease_token = lease_token + 1, attempt = attempt + 1, event_id = $2,
  lease_until = clock_timestamp() + $3 * interval '1 millisecond'
where id = $1 returning lease_token as token`;

const end = `
update responses set status = $2, response = $3::text::jsonb, cost_nano = coalesce($4::bigint, cost_nano),
  completed_at = clock_timestamp(), lease_until = null, event_id = null, request = null
where id = $1`;

const insertEvent = 'insert into response_events (response_id, sequence_number, event) values ($1, $2, $3)';

interface Row extends Pick<AbandonedRun, 'id' | 'token' | 'previousId' | 'input' | 'response'> {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly memberId: string | null;
  /** Null in rows of a version that did not store it. */
  readonly request: RepeatableRequest | null;
  readonly eventId: string | null;
  readonly attempt: number;
  readonly isCancelled: boolean;
  readonly isOld: boolean;
}

interface Claimed {
  readonly id: string;
  /** Null where it has ended instead. */
  readonly run: AbandonedRun | null;
}

type Ending = Pick<ResponseObject, 'status'> & { readonly error?: object };

/** Background responses whose process has ended. All methods throw SluiceError database_unavailable. */
export class StoredAbandonedRuns {
  readonly #database: Pick<Database, 'query' | 'transaction'>;

  constructor(database: Pick<Database, 'query' | 'transaction'>) {
    this.#database = database;
  }

  /** Ends the leases of an earlier process: only where no other process runs responses. */
  async endLeases(before: Date): Promise<void> {
    const text = 'update responses set lease_until = created_at where completed_at is null and created_at < $1';
    await mapDatabaseErrors(() => this.#database.query(text, [before]));
  }

  /**
   * Gets the lease of one, or ends it: it was cancelled, complete, or was run too often. @param running not these ids
   * @param eventId of its next run
   * @returns null if there is none
   */
  claim(leaseMs: number, running: readonly string[], eventId: string): Promise<Claimed | null> {
    return mapDatabaseErrors(() =>
      this.#database.transaction(async (client) => {
        const [row] = (await client.query<Row>(lockAbandoned, [running])).rows;
        return row === undefined ? null : { id: row.id, run: await claim(client, row, leaseMs, eventId) };
      }),
    );
  }

  /** Ends one whose lease is held. */
  fail({ id, token }: RunLease, error: RunError): Promise<void> {
    return mapDatabaseErrors(() =>
      this.#database.transaction(async (client) => {
        const [row] = (await client.query<Pick<Row, 'id' | 'response'>>(lockHeld, [id, token])).rows;
        if (row === undefined) return;
        await endWith(client, row, await nextSequence(client, id), { status: 'failed', error });
      }),
    );
  }
}

/** Null where it has ended. */
async function claim(client: SqlClient, row: Row, leaseMs: number, newEventId: string): Promise<AbandonedRun | null> {
  const { id, request } = row;
  const [last] = (await client.query<{ sequenceNumber: number; json: string }>(lastEvent, [id])).rows;
  const [usage] =
    row.eventId === null
      ? []
      : (await client.query<{ beganAt: number; costNano: string | null }>(billed, [row.accountId, row.eventId])).rows;
  const final = last === undefined ? null : finalResponse(last.json);
  if (final !== null) {
    await client.query(end, [id, final.status, storableJson(final), usage?.costNano ?? null]);
    return null;
  }
  const next = last === undefined ? 0 : last.sequenceNumber + 1;
  const ending = endingOf(row);
  if (ending !== null || request === null) {
    await endWith(client, row, next, ending ?? stopped(row.attempt));
    return null;
  }
  // A complete answer that was not stored is billed: the run that repeats it is the same event, which is billed once.
  const eventId = usage !== undefined && row.eventId !== null ? row.eventId : newEventId;
  const [lease] = (await client.query<{ token: number }>(renewLease, [id, eventId, leaseMs])).rows;
  if (lease === undefined) return null;
  const { accountId, apiKeyId, memberId, previousId, input, response } = row;
  return {
    id,
    token: lease.token,
    key: { id: apiKeyId, accountId, memberId },
    previousId,
    input,
    request,
    response,
    eventId,
    nextSequence: next,
    ...(usage !== undefined && { rerunBeganAt: usage.beganAt }),
  };
}

/** Null where it may run again. */
function endingOf({ isCancelled, isOld, attempt }: Row): Ending | null {
  if (isCancelled) return { status: 'cancelled' };
  return isOld || attempt >= MAX_ATTEMPTS ? stopped(attempt) : null;
}

function stopped(attempt: number): Ending {
  const often = attempt === 1 ? '' : `, ${attempt} times`;
  const message = `The server that ran this response stopped before it was finished${often}. Create the response again.`;
  return { status: 'failed', error: { code: 'server_error', message } };
}

/** The response of a final event, which may have been stored without the end of the run. */
function finalResponse(json: string): ResponseObject | null {
  if (!/^\{"type":"response\.(?:completed|incomplete|failed)"/.test(json)) return null;
  const { response }: { readonly response: ResponseObject } = JSON.parse(json);
  return response;
}

async function nextSequence(client: SqlClient, id: string): Promise<number> {
  const [last] = (await client.query<{ sequenceNumber: number }>(lastEvent, [id])).rows;
  return last === undefined ? 0 : last.sequenceNumber + 1;
}

async function endWith(
  client: SqlClient,
  { id, response: before }: Pick<Row, 'id' | 'response'>,
  sequence: number,
  ending: Ending,
): Promise<void> {
  const response = { ...before, ...ending };
  // As of a response that is cancelled while it runs: OpenAI has no event for that.
  const type = ending.status === 'cancelled' ? 'response.incomplete' : 'response.failed';
  await client.query(end, [id, response.status, storableJson(response), null]);
  await client.query(insertEvent, [id, sequence, JSON.stringify({ type, sequence_number: sequence, response })]);
}
