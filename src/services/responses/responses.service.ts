import type { EntityManager } from '@mikro-orm/postgresql';
import type { Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { StoredResponse } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type {
  NewResponse,
  RepeatableRequest,
  RunLease,
} from '../../gateway/capabilities/responses/background/run-store.ts';
import type { ProviderCopy } from '../../gateway/capabilities/responses/provider-copies.ts';
import type { ResponseEvent, ResponseObject } from '../../gateway/capabilities/responses/response-object.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ListPageRequest } from '../list-page.ts';
import { rowsWithin } from '../object-reach.ts';
import { noResponse, responseIdOf } from './response-input.ts';
import { storableJson } from '../storable-json.ts';
import { insertRows, rowJson, toStoredResponse } from './response-rows.ts';
import { StoredItems } from './stored-items.ts';
import { unstoredResponse, unstoredResponses, type UnstoredResponses } from './unstored-responses.ts';

const MAX_ITEMS = 10_000;
const POLL_INTERVAL_MS = 1_000;
/** How long a cancellation waits for the process that runs the response. */
const MAX_CANCEL_WAIT_MS = 10_000;
const EVENT_BATCH_ROWS = 500;

export interface ResponsesDependencies {
  readonly database: Database;
  /** Reports changes by the response's UUID. */
  readonly changes: ChangeSource;
  readonly log: { warn(fields: object, message: string): void };
  /** Deletes what providers store; absent where they are not reached. */
  readonly copies?: { delete(accountId: string, copies: readonly ProviderCopy[]): void };
  readonly clock?: Clock;
}

export interface ChangeSource {
  /** Resolves at the next change, after `withinMs`, or when `signal` aborts. */
  next(id: string, withinMs: number, signal: AbortSignal): Promise<void>;
}

/** A response in a list: without its input, and with its output only if requested. */
export type ListedResponse = Omit<StoredResponse, 'input' | 'response' | 'request' | 'providerCopies'> &
  Partial<Pick<StoredResponse, 'response'>>;

export interface ResponsePage {
  readonly rows: readonly ListedResponse[];
  readonly hasMore: boolean;
}

/** An event as stored and sent. */
export type StoredEvent = Pick<ResponseEvent, 'sequenceNumber' | 'json'>;

/** Only for a running response: finished or deleted ones accept no events. Ending it waits for a statement in progress. */
const appendEvents = `
insert into response_events (response_id, sequence_number, event)
select running.id, given.sequence_number, given.event
from (select id from responses where id = $1 and lease_token = $2 and completed_at is null for share) as running
cross join unnest($3::int[], $4::text[]) as given(sequence_number, event)
on conflict do nothing`;

/** As `appendEvents`, with the state that one of the events reports. */
const appendWithState = `
with running as (
  select id from responses where id = $1 and lease_token = $2 and completed_at is null for update
), appended as (
  insert into response_events (response_id, sequence_number, event)
  select running.id, given.sequence_number, given.event
  from running cross join unnest($3::int[], $4::text[]) as given(sequence_number, event)
  on conflict do nothing
)
update responses set status = $5, response = $6::text::jsonb from running where responses.id = running.id`;

/** A running response whose lease is held. */
const held = 'id = $1 and lease_token = $2 and completed_at is null';

/** One accessible response by id. */
const reached = 'id = $1 and account_id = $2 and ($3::uuid is null or api_key_id = $3)';

/** A statement may be repeated after its result was lost. */
const addCopy = `
update responses set provider_copies =
  case when provider_copies @> $2::text::jsonb then provider_copies else coalesce(provider_copies, '[]') || $2::text::jsonb end
where id = $1 returning id`;

const readEvents = `
select sequence_number as "sequenceNumber", event as json from response_events
where response_id = $1 and sequence_number > $2 order by sequence_number limit $3`;

/**
 * Stored responses. Internal ids are UUIDs, public ones `resp_…`; a response that the caller may not access is not found.
 * Every method that returns a promise also throws SluiceError database_unavailable.
 */
export class ResponsesService {
  readonly #database: Database;
  readonly #changes: ChangeSource;
  readonly #unstored: UnstoredResponses;
  readonly #items: StoredItems;
  readonly #copies: ResponsesDependencies['copies'];

  constructor({ database, changes, log, copies, clock }: ResponsesDependencies) {
    this.#copies = copies;
    this.#database = database;
    this.#changes = changes;
    this.#unstored = unstoredResponses({ database, log, clock });
    this.#items = new StoredItems({ database, unstored: this.#unstored });
  }

  // Called by the gateway

  /** Stores a finished response. */
  store(given: NewResponse): Promise<void> {
    return this.#insert(given, null, null);
  }

  /** As `store`, without waiting, and retried during a database outage. It is found immediately, except in lists. */
  storeSoon(given: NewResponse): void {
    this.#unstored.add(unstoredResponse(given));
  }

  /** Stores a background response, which runs while its lease is renewed. */
  begin(given: NewResponse, request: RepeatableRequest, leaseMs: number): Promise<void> {
    return this.#insert(given, leaseMs, request);
  }

  /**
   * Stores events of a running response, and its state with them. Ignores events that are already stored, and what comes after a
   * finished one.
   * @param state null where it is unchanged
   */
  append({ id, token }: RunLease, events: readonly StoredEvent[], state: ResponseObject | null = null): Promise<void> {
    const numbers = events.map(({ sequenceNumber }) => sequenceNumber);
    const texts = events.map(({ json }) => json);
    const values = [id, token, numbers, texts];
    return mapDatabaseErrors(async () => {
      if (state === null) await this.#database.query(appendEvents, values);
      else await this.#database.query(appendWithState, [...values, state.status, storableJson(state)]);
    });
  }

  /** Stores what a provider stores of a run, or deletes it there where the response is deleted. */
  addCopy(id: string, accountId: string, copy: ProviderCopy): Promise<void> {
    return mapDatabaseErrors(async () => {
      const kept = await this.#database.query(addCopy, [id, storableJson([copy])]);
      if (kept.length === 0) this.#copies?.delete(accountId, [copy]);
    });
  }

  /**
   * Finishes a running response, after its last events were stored. @returns false if it was already finished or deleted, or
   * another process runs it
   */
  finish({ id, token }: RunLease, response: ResponseObject, costNano: bigint | null): Promise<boolean> {
    const text = `
      update responses set status = $3, response = $4::text::jsonb, cost_nano = $5::bigint,
        completed_at = clock_timestamp(), lease_until = null, event_id = null, request = null
      where ${held} returning id`;
    const values = [id, token, response.status, storableJson(response), costNano === null ? null : String(costNano)];
    return mapDatabaseErrors(async () => (await this.#database.query(text, values)).length > 0);
  }

  /**
   * Renews the leases of running responses.
   * @returns those to stop: cancelled, deleted, ended, or run by another process because their lease had expired
   */
  renew(runs: readonly RunLease[], leaseMs: number): Promise<string[]> {
    const text = `
      update responses set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
      from unnest($1::uuid[], $2::int[]) as run(run_id, token)
      where id = run_id and lease_token = token and completed_at is null
      returning id, cancel_asked_at is null as "continues"`;
    const ids = runs.map(({ id }) => id);
    const values = [ids, runs.map(({ token }) => token), leaseMs];
    return mapDatabaseErrors(async () => {
      const rows = await this.#database.query<{ id: string; continues: boolean }>(text, values);
      const continuing = new Set(rows.flatMap(({ id, continues }) => (continues ? [id] : [])));
      return ids.filter((id) => !continuing.has(id));
    });
  }

  /** Leaves a running response to any process, after a delay. @param isCounted whether it counts as an attempt */
  release({ id, token }: RunLease, delayMs: number, isCounted: boolean): Promise<void> {
    const text = `
      update responses set lease_until = clock_timestamp() + $3 * interval '1 millisecond', lease_token = lease_token + 1,
        event_id = null, attempt = attempt - $4
      where ${held}`;
    const values = [id, token, delayMs, isCounted ? 0 : 1];
    return mapDatabaseErrors(async () => void (await this.#database.query(text, values)));
  }

  // Called by clients

  /** @throws SluiceError not_found */
  get(reach: ObjectReach, publicId: string): Promise<StoredResponse> {
    return mapDatabaseErrors(() => this.#find(this.#database.em(), reach, responseIdOf(publicId)));
  }

  /** The account's responses among these UUIDs. */
  byIds(reach: ObjectReach, ids: readonly string[], withOutput: boolean): Promise<ListedResponse[]> {
    const where = { ...rowsWithin(reach), id: { $in: [...ids] } };
    return mapDatabaseErrors(() => this.#database.em().find(StoredResponse, where, { exclude: unlisted(withOutput) }));
  }

  /** @throws SluiceError not_found if `after` is not found */
  list(reach: ObjectReach, { limit, order, after }: ListPageRequest, withOutput: boolean): Promise<ResponsePage> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      const from = after === null ? null : await this.#placeOf(em, reach, responseIdOf(after));
      if (limit === 0) return { rows: [], hasMore: false };
      const beyond = order === 'desc' ? '$lt' : '$gt';
      const rows = await em.find(
        StoredResponse,
        {
          ...rowsWithin(reach),
          ...(from && {
            $or: [
              { createdAt: { [beyond]: from.createdAt } },
              { createdAt: from.createdAt, id: { [beyond]: from.id } },
            ],
          }),
        },
        { orderBy: [{ createdAt: order }, { id: order }], limit: limit + 1, exclude: unlisted(withOutput) },
      );
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  /**
   * Requests the cancellation from the process that runs the response. One that waits for a process is cancelled by the next one
   * that looks. A finished one is unchanged.
   * @returns its current state, usually before the cancellation: see `ended`
   * @throws SluiceError not_found | response_not_background
   */
  requestCancel(reach: ObjectReach, publicId: string): Promise<StoredResponse> {
    const text = `
      update responses set cancel_asked_at = coalesce(cancel_asked_at, clock_timestamp()),
        lease_until = case when event_id is null then created_at else lease_until end
      where ${reached} and background and completed_at is null`;
    return mapDatabaseErrors(async () => {
      await this.#database.query(text, [responseIdOf(publicId), reach.accountId, reach.apiKeyId]);
      const response = await this.get(reach, publicId);
      if (!response.background) throw new SluiceError('response_not_background');
      return response;
    });
  }

  /**
   * The response once it has finished, or after some seconds as it is. @throws SluiceError not_found, also if it is deleted
   * meanwhile
   */
  async ended(reach: ObjectReach, publicId: string): Promise<StoredResponse> {
    const limit = AbortSignal.timeout(MAX_CANCEL_WAIT_MS);
    for (;;) {
      const changed = this.#changes.next(responseIdOf(publicId), POLL_INTERVAL_MS, limit);
      const response = await this.get(reach, publicId);
      if (response.completedAt !== null || limit.aborted) return response;
      await changed;
    }
  }

  /**
   * Deletes a response with its events, and soon what providers store of it. The process that runs it stops as after a
   * cancellation.
   * @throws SluiceError not_found
   */
  remove(reach: ObjectReach, publicId: string): Promise<{ readonly id: string }> {
    return mapDatabaseErrors(async () => {
      const id = responseIdOf(publicId);
      const wasUnstored = await this.#unstored.withdraw(reach, id);
      const text = `delete from responses where ${reached} returning provider_copies as "providerCopies"`;
      const values = [id, reach.accountId, reach.apiKeyId];
      const [deleted] = await this.#database.query<Pick<StoredResponse, 'providerCopies'>>(text, values);
      if (deleted === undefined && !wasUnstored) noResponse();
      if (deleted?.providerCopies) this.#copies?.delete(reach.accountId, deleted.providerCopies);
      return { id };
    });
  }

  /**
   * The conversation up to a response, oldest first: each response's input, then its output. It starts after a deleted
   * response.
   * @throws SluiceError previous_response_not_found, also for one that has not completed | invalid_value if it is too long
   */
  conversation(reach: ObjectReach, publicId: string, maxItems: number = MAX_ITEMS): Promise<object[]> {
    return mapDatabaseErrors(() => this.#items.conversation(reach, publicId, maxItems));
  }

  /** Output items by id; those that are not accessible are omitted. */
  items(reach: ObjectReach, itemIds: readonly string[]): Promise<Map<string, object>> {
    return mapDatabaseErrors(() => this.#items.named(reach, itemIds));
  }

  /** The events of an accessible response after a sequence number, in order. */
  events(id: string, afterSequence: number, limit: number): Promise<StoredEvent[]> {
    return mapDatabaseErrors(() => this.#database.query<StoredEvent>(readEvents, [id, afterSequence, limit]));
  }

  /**
   * Streams a background response's events as JSON, after a sequence number and to its end. Events of other processes are
   * delayed by up to a second.
   * @throws SluiceError not_found, also if it is deleted meanwhile
   */
  async *watch(
    reach: ObjectReach,
    publicId: string,
    afterSequence: number,
    signal: AbortSignal,
  ): AsyncGenerator<string, void> {
    const id = responseIdOf(publicId);
    let after = afterSequence;
    while (!signal.aborted) {
      const changed = this.#changes.next(id, POLL_INTERVAL_MS, signal);
      // Read first: all events are stored before the end is.
      const isOver = await this.#isOver(reach, id);
      for (;;) {
        const events = await this.events(id, after, EVENT_BATCH_ROWS);
        for (const { sequenceNumber, json } of events) {
          yield json;
          after = sequenceNumber;
        }
        if (events.length < EVENT_BATCH_ROWS || signal.aborted) break;
      }
      if (isOver) return;
      await changed;
    }
  }

  /** Waits some seconds until pending responses are stored. */
  close(): Promise<void> {
    return this.#unstored.close();
  }

  #insert(given: NewResponse, leaseMs: number | null, request: RepeatableRequest | null): Promise<void> {
    const values = [`[${rowJson(given, leaseMs, request)}]`];
    return mapDatabaseErrors(async () => void (await this.#database.query(insertRows, values)));
  }

  async #find(em: EntityManager, reach: ObjectReach, id: string): Promise<StoredResponse> {
    const unstored = this.#unstored.find(reach, id);
    if (unstored !== null) return toStoredResponse(em, unstored);
    return (await em.findOne(StoredResponse, { id, ...rowsWithin(reach) })) ?? noResponse();
  }

  /** Its position in lists. @throws SluiceError not_found */
  async #placeOf(em: EntityManager, reach: ObjectReach, id: string): Promise<Pick<StoredResponse, 'id' | 'createdAt'>> {
    const unstored = this.#unstored.find(reach, id);
    if (unstored !== null) return { id, createdAt: new Date(unstored.created_at) };
    const where = { id, ...rowsWithin(reach) };
    return (await em.findOne(StoredResponse, where, { fields: ['createdAt'] })) ?? noResponse();
  }

  /** @throws SluiceError not_found */
  async #isOver(reach: ObjectReach, id: string): Promise<boolean> {
    if (this.#unstored.find(reach, id) !== null) return true;
    const text = `select completed_at is not null as "isOver" from responses where ${reached}`;
    const [row] = await mapDatabaseErrors(() =>
      this.#database.query<{ isOver: boolean }>(text, [id, reach.accountId, reach.apiKeyId]),
    );
    return row?.isOver ?? noResponse();
  }
}

/** Columns that may be megabytes long and are not needed in lists. */
function unlisted(withOutput: boolean): ('input' | 'response')[] {
  return withOutput ? ['input'] : ['input', 'response'];
}
