import type { EntityManager } from '@mikro-orm/postgresql';
import type { Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { StoredResponse } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { NewResponse } from '../../gateway/capabilities/responses/background-runs.ts';
import type { ResponseObject } from '../../gateway/capabilities/responses/response-object.ts';
import type { ResponseEvent } from '../../gateway/capabilities/responses/response-writer.ts';
import type { ObjectReach } from '../../gateway/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ListPageRequest } from '../list-page.ts';
import { rowsWithin } from '../object-reach.ts';
import { noResponse, responseIdOf } from './response-input.ts';
import { storableJson } from '../storable-json.ts';
import { insertRows, rowJson, toStoredResponse } from './response-rows.ts';
import { StoredItems } from './stored-items.ts';
import { UnstoredResponses } from './unstored-responses.ts';

const MAX_ITEMS = 10_000;
const POLL_INTERVAL_MS = 1_000;
/** A run hears within some seconds that it is to be cancelled, whichever process runs it. */
const MAX_CANCEL_WAIT_MS = 10_000;
const EVENT_BATCH_ROWS = 500;

export interface ResponsesParts {
  readonly database: Database;
  /** Told of each change by the response's UUID. */
  readonly changes: ChangeSource;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

export interface ChangeSource {
  /** Resolves at the next change, after `withinMs`, or when `signal` aborts. */
  next(id: string, withinMs: number, signal: AbortSignal): Promise<void>;
}

/** A response as a list has it: without what it was asked, and with its answer only where that is wanted. */
export type ListedResponse = Omit<StoredResponse, 'input' | 'response'> & Partial<Pick<StoredResponse, 'response'>>;

export interface ResponsePage {
  readonly rows: readonly ListedResponse[];
  readonly hasMore: boolean;
}

/** An event as it is stored, and goes out. */
export type StoredEvent = Pick<ResponseEvent, 'sequenceNumber' | 'json'>;

/** Only of one that runs: what has ended, or is gone, takes no more. Whoever ends it waits for a statement that is under way. */
const appendEvents = `
insert into response_events (response_id, sequence_number, event)
select running.id, given.sequence_number, given.event
from (select id from responses where id = $1 and completed_at is null for share) as running
cross join unnest($2::int[], $3::text[]) as given(sequence_number, event)
on conflict do nothing`;

/** One by its id, of those within reach. */
const reached = 'id = $1 and account_id = $2 and ($3::uuid is null or api_key_id = $3)';

const readEvents = `
select sequence_number as "sequenceNumber", event as json from response_events
where response_id = $1 and sequence_number > $2 order by sequence_number limit $3`;

/**
 * Responses that are kept. An id within is a UUID, one of a caller's is `resp_…`; what a caller may not reach is not
 * found, as another account's is not. Every method
 * that promises something also throws SluiceError database_unavailable.
 */
export class ResponsesService {
  readonly #database: Database;
  readonly #changes: ChangeSource;
  readonly #unstored: UnstoredResponses;
  readonly #items: StoredItems;

  constructor({ database, changes, log, clock }: ResponsesParts) {
    this.#database = database;
    this.#changes = changes;
    this.#unstored = new UnstoredResponses({ database, log, clock });
    this.#items = new StoredItems({ database, unstored: this.#unstored });
  }

  // What makes them

  /** Stores one that has ended. */
  keep(given: NewResponse): Promise<void> {
    return this.#insert(given, null);
  }

  /** The same without waiting, and also where the database is away for a while. It is found from now on, but in lists. */
  keepSoon(given: NewResponse): void {
    this.#unstored.add(given);
  }

  /** Stores one that runs in the background, for as long as its lease is renewed. */
  begin(given: NewResponse, leaseMs: number): Promise<void> {
    return this.#insert(given, leaseMs);
  }

  /** Stores what one that runs has told. Events that are stored already are passed over, and those of one that has ended. */
  append(id: string, events: readonly StoredEvent[]): Promise<void> {
    const numbers = events.map(({ sequenceNumber }) => sequenceNumber);
    const texts = events.map(({ json }) => json);
    return mapDatabaseErrors(async () => void (await this.#database.query(appendEvents, [id, numbers, texts])));
  }

  /** How one that runs stands now. */
  update(id: string, response: ResponseObject): Promise<void> {
    const text = 'update responses set status = $2, response = $3::text::jsonb where id = $1 and completed_at is null';
    const values = [id, response.status, storableJson(response)];
    return mapDatabaseErrors(async () => void (await this.#database.query(text, values)));
  }

  /** Ends one that runs; its last events are stored before. @returns false where it has ended already, or is gone */
  finish(id: string, response: ResponseObject, costNano: bigint | null): Promise<boolean> {
    const text = `
      update responses set status = $2, response = $3::text::jsonb, cost_nano = $4::bigint,
        completed_at = clock_timestamp(), lease_until = null
      where id = $1 and completed_at is null returning id`;
    const values = [id, response.status, storableJson(response), costNano === null ? null : String(costNano)];
    return mapDatabaseErrors(async () => (await this.#database.query(text, values)).length > 0);
  }

  /**
   * Says that these are still run.
   * @returns those that are to be run no longer: somebody wants them cancelled, they are deleted, or were taken for dead
   */
  renew(ids: readonly string[], leaseMs: number): Promise<string[]> {
    const text = `
      update responses set lease_until = clock_timestamp() + $2 * interval '1 millisecond'
      where id = any($1::uuid[]) and completed_at is null returning id, cancel_asked_at is null as "goesOn"`;
    return mapDatabaseErrors(async () => {
      const rows = await this.#database.query<{ id: string; goesOn: boolean }>(text, [ids, leaseMs]);
      const goingOn = new Set(rows.flatMap(({ id, goesOn }) => (goesOn ? [id] : [])));
      return ids.filter((id) => !goingOn.has(id));
    });
  }

  // What its account does with them

  /** @throws SluiceError not_found */
  get(reach: ObjectReach, publicId: string): Promise<StoredResponse> {
    return mapDatabaseErrors(() => this.#find(this.#database.em(), reach, responseIdOf(publicId)));
  }

  /** Of those given, by their UUIDs, the responses that the account has stored. */
  byIds(reach: ObjectReach, ids: readonly string[], withAnswers: boolean): Promise<ListedResponse[]> {
    const where = { ...rowsWithin(reach), id: { $in: [...ids] } };
    return mapDatabaseErrors(() => this.#database.em().find(StoredResponse, where, { exclude: unlisted(withAnswers) }));
  }

  /** @throws SluiceError not_found where there is no response to begin behind */
  list(reach: ObjectReach, { limit, order, after }: ListPageRequest, withAnswers: boolean): Promise<ResponsePage> {
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
        { orderBy: [{ createdAt: order }, { id: order }], limit: limit + 1, exclude: unlisted(withAnswers) },
      );
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  /**
   * Has whichever process runs it cancel a response. One that has ended stays as it is.
   * @returns it as it is now, which is most often not cancelled yet: see `ended`
   * @throws SluiceError not_found | response_not_background
   */
  requestCancel(reach: ObjectReach, publicId: string): Promise<StoredResponse> {
    const text = `
      update responses set cancel_asked_at = coalesce(cancel_asked_at, clock_timestamp())
      where ${reached} and background and completed_at is null`;
    return mapDatabaseErrors(async () => {
      await this.#database.query(text, [responseIdOf(publicId), reach.accountId, reach.apiKeyId]);
      const response = await this.get(reach, publicId);
      if (!response.background) throw new SluiceError('response_not_background');
      return response;
    });
  }

  /** One once it has ended, or as it is after some seconds. @throws SluiceError not_found, also where it is deleted meanwhile */
  async ended(reach: ObjectReach, publicId: string): Promise<StoredResponse> {
    const limit = AbortSignal.timeout(MAX_CANCEL_WAIT_MS);
    for (;;) {
      const changed = this.#changes.next(responseIdOf(publicId), POLL_INTERVAL_MS, limit);
      const response = await this.get(reach, publicId);
      if (response.completedAt !== null || limit.aborted) return response;
      await changed;
    }
  }

  /** Deletes one with its events. Whoever runs it hears of that as of a cancellation. @throws SluiceError not_found */
  remove(reach: ObjectReach, publicId: string): Promise<{ readonly id: string }> {
    return mapDatabaseErrors(async () => {
      const id = responseIdOf(publicId);
      const wasUnstored = await this.#unstored.withdraw(reach, id);
      const text = `delete from responses where ${reached} returning id`;
      const gone = await this.#database.query(text, [id, reach.accountId, reach.apiKeyId]);
      if (gone.length === 0 && !wasUnstored) noResponse();
      return { id };
    });
  }

  /**
   * The conversation up to a response, oldest first: of each of its responses the input, then the output. It begins behind a
   * response that is deleted.
   * @throws SluiceError previous_response_not_found, also for one that has not completed | invalid_value where it is too long
   */
  conversation(reach: ObjectReach, publicId: string, mostItems: number = MAX_ITEMS): Promise<object[]> {
    return mapDatabaseErrors(() => this.#items.conversation(reach, publicId, mostItems));
  }

  /** Output items by their ids; those that the account does not have are left out. */
  items(reach: ObjectReach, itemIds: readonly string[]): Promise<Map<string, object>> {
    return mapDatabaseErrors(() => this.#items.named(reach, itemIds));
  }

  /** Of a response that is known to be the account's: its events behind a sequence number, in order. */
  events(id: string, afterSequence: number, limit: number): Promise<StoredEvent[]> {
    return mapDatabaseErrors(() => this.#database.query<StoredEvent>(readEvents, [id, afterSequence, limit]));
  }

  /**
   * What a background response tells, each event as JSON, from behind a sequence number to its end. What another process stores
   * is seen a second late.
   * @throws SluiceError not_found, also where it is deleted meanwhile
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
      // First: all events are stored before the end is.
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

  /** Waits some seconds for what is not stored yet. */
  close(): Promise<void> {
    return this.#unstored.close();
  }

  #insert(given: NewResponse, leaseMs: number | null): Promise<void> {
    const values = [`[${rowJson(given, leaseMs)}]`];
    return mapDatabaseErrors(async () => void (await this.#database.query(insertRows, values)));
  }

  async #find(em: EntityManager, reach: ObjectReach, id: string): Promise<StoredResponse> {
    const unstored = this.#unstored.find(reach, id);
    if (unstored !== null) return toStoredResponse(em, unstored);
    return (await em.findOne(StoredResponse, { id, ...rowsWithin(reach) })) ?? noResponse();
  }

  /** Where it stands in a list. @throws SluiceError not_found */
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

/** Columns of megabytes that nobody looks at in a list. */
function unlisted(withAnswers: boolean): ('input' | 'response')[] {
  return withAnswers ? ['input'] : ['input', 'response'];
}
