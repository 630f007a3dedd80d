import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { isStorableText } from '../../database/storable-text.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

export interface ProviderObjectsDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

/** Objects that one response named. */
export interface ObtainedObjects {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly connectionId: string;
  readonly objectIds: readonly string[];
}

const DAY_MS = 86_400_000;
/** Providers keep responses for 30 days, and conversations until they are deleted: those are forgotten after years of no use. */
const RETENTION_MS = 30 * DAY_MS;
const CONVERSATION_RETENTION_MS = 5 * 365 * DAY_MS;
const CONVERSATION = /^conv_/;
const RETRY_MS = 5_000;
const CLOSING_RETRY_MS = 500;
const MAX_CLOSE_MS = 5_000;
/** In total, so that a database outage does not exhaust the memory. */
const MAX_PENDING = 10_000;
const BATCH = 500;
/** Longer ids are no provider's. */
const MAX_ID_LENGTH = 256;

const insertObjects = `
insert into provider_objects (account_id, object_id, connection_id, api_key_id, created_at, expires_at)
select account_id, object_id, connection_id, api_key_id, $6, expires_at
from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[])
  as given(account_id, object_id, connection_id, api_key_id, expires_at)
where exists (select from accounts where id = account_id)
on conflict do nothing`;

const findObjects = `
select object_id as "objectId", connection_id as "connectionId" from provider_objects
where account_id = $1 and object_id = any($2::text[]) and ($3::uuid is null or api_key_id = $3)
order by created_at, connection_id`;

const deleteObject = `
delete from provider_objects where account_id = $1 and connection_id = $2 and object_id = $3`;

interface StoredObject {
  readonly objectId: string;
  readonly connectionId: string;
}

interface Pending {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly connectionId: string;
  readonly objectId: string;
}

/** Which objects at providers an account obtained, and through which connection. */
export class ProviderObjectsService {
  readonly #dependencies: ProviderObjectsDependencies;
  readonly #clock: Clock;
  /** Not stored yet. */
  #pending = new Set<Pending>();
  #storing: Promise<void> | null = null;
  #wake: () => void = () => undefined;
  #isClosing = false;

  constructor(dependencies: ProviderObjectsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** Stores objects without waiting, and again after a database outage. They are found at once. */
  record({ objectIds, ...owner }: ObtainedObjects): void {
    for (const objectId of objectIds)
      if (mayBeStored(objectId) && this.#pending.size < MAX_PENDING) this.#pending.add({ ...owner, objectId });
    if (this.#pending.size > 0) this.#storing ??= this.#storeAll();
  }

  /**
   * The connections that hold objects, by the objects' ids, the first to hold one first. An object that is not accessible is left
   * out.
   * @throws SluiceError database_unavailable
   */
  async find(reach: ObjectReach, objectIds: readonly string[]): Promise<Map<string, readonly string[]>> {
    const wanted = new Set(objectIds.filter(mayBeStored));
    if (wanted.size === 0) return new Map();
    const found = new Map<string, Set<string>>();
    const add = (objectId: string, connectionId: string): void => {
      const holders = found.get(objectId) ?? new Set();
      found.set(objectId, holders.add(connectionId));
    };
    for (const { accountId, apiKeyId, connectionId, objectId } of this.#pending)
      if (wanted.has(objectId) && accountId === reach.accountId && (reach.apiKeyId ?? apiKeyId) === apiKeyId)
        add(objectId, connectionId);
    try {
      for (const { objectId, connectionId } of await this.#stored(reach, [...wanted])) add(objectId, connectionId);
    } catch (error) {
      // What is not stored yet is found without the database.
      if (found.size < wanted.size) throw error;
    }
    return new Map([...found].map(([objectId, holders]) => [objectId, [...holders]]));
  }

  #stored(reach: ObjectReach, ids: readonly string[]): Promise<readonly StoredObject[]> {
    const { accountId, apiKeyId } = reach;
    return mapDatabaseErrors(() =>
      this.#dependencies.database.query<StoredObject>(findObjects, [accountId, ids, apiKeyId]),
    );
  }

  /** Forgets an object that was deleted at its provider, for all keys that obtained it. @throws SluiceError database_unavailable */
  async forget({ accountId }: ObjectReach, connectionId: string, objectId: string): Promise<void> {
    if (!mayBeStored(objectId)) return;
    for (const each of this.#pending)
      if (each.accountId === accountId && each.connectionId === connectionId && each.objectId === objectId)
        this.#pending.delete(each);
    await this.#storing;
    await mapDatabaseErrors(() => this.#dependencies.database.query(deleteObject, [accountId, connectionId, objectId]));
  }

  /** Removes expired objects; called by a job. @throws SluiceError database_unavailable */
  async removeExpired(): Promise<void> {
    const text = 'delete from provider_objects where expires_at < $1';
    await mapDatabaseErrors(() => this.#dependencies.database.query(text, [new Date(this.#clock.now())]));
  }

  /** Waits some seconds until all is stored; the rest is lost. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    const limit = Promise.withResolvers<void>();
    const timer = this.#clock.setTimeout(() => limit.resolve(), MAX_CLOSE_MS);
    await Promise.race([this.#storing, limit.promise]);
    timer.cancel();
    if (this.#pending.size > 0)
      this.#dependencies.log.warn(
        { count: this.#pending.size },
        'objects at providers could not be stored and are lost',
      );
    this.#pending = new Set();
    this.#wake();
  }

  async #storeAll(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, BATCH);
      try {
        await this.#dependencies.database.query(insertObjects, this.#values(batch));
        for (const each of batch) this.#pending.delete(each);
      } catch (err) {
        this.#dependencies.log.warn({ err }, 'storing objects at providers failed; retrying');
        await this.#pause(this.#isClosing ? CLOSING_RETRY_MS : RETRY_MS);
      }
    }
    this.#storing = null;
  }

  #values(batch: readonly Pending[]): readonly unknown[] {
    const now = this.#clock.now();
    const expiries = batch.map(({ objectId }) => {
      const kept = CONVERSATION.test(objectId) ? CONVERSATION_RETENTION_MS : RETENTION_MS;
      return new Date(now + kept).toISOString();
    });
    return [...columnsOf(batch), expiries, new Date(now)];
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, ms).unref();
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/** Clients name anything: what cannot be stored is not found. */
function mayBeStored(objectId: string): boolean {
  return objectId.length <= MAX_ID_LENGTH && isStorableText(objectId);
}

function columnsOf(batch: readonly Pending[]): readonly string[][] {
  return [
    batch.map(({ accountId }) => accountId),
    batch.map(({ objectId }) => objectId),
    batch.map(({ connectionId }) => connectionId),
    batch.map(({ apiKeyId }) => apiKeyId),
  ];
}
