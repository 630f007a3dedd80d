import { randomUUID } from 'node:crypto';
import { delay, systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import { isStorableText } from '../../database/storable-text.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ListPageRequest } from '../list-page.ts';
import { storableJson } from '../storable-json.ts';
import { readConversationId } from './conversation-id.ts';

export interface ConversationRow {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

/** An item with the id that clients name it by. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly id: string };

export interface ItemPage {
  readonly items: readonly StoredItem[];
  readonly hasMore: boolean;
}

export interface ConversationsDependencies {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

/** Items that are added at once. */
interface AddedItems {
  /** Of the conversation. */
  readonly id: string;
  readonly accountId: string;
  /** The request whose turn they are, which adds them once; null for those that a client adds itself. */
  readonly eventId: string | null;
  readonly items: readonly StoredItem[];
}

const MAX_ITEMS = 10_000;
/** Held in memory while a response begins. */
const MAX_BYTES = 64 * 1024 * 1024;
/** During a database outage, as long as responses are retried. */
const [RETRY_MS, MAX_RETRIES] = [5_000, 12];

const columns = 'id, metadata, floor(extract(epoch from created_at))::float8 as "createdAt"';
const reached = 'id = $1 and account_id = $2 and ($3::uuid is null or api_key_id = $3)';

/** An item that a client sends again, by its id, is there already. */
const insertItems = `
insert into conversation_items (conversation_id, account_id, item_id, position, item, event_id)
select $1, $2, given.id, $3::int + given.place::int, given.item, $5
from (
  select distinct on (value ->> 'id') value ->> 'id' as id, ordinality as place, value as item
  from json_array_elements($4::text::json) with ordinality order by value ->> 'id', ordinality
) as given
on conflict do nothing`;

/**
 * Conversations, whose items are kept in order. Internal ids are UUIDs, public ones `conv_…`; one that the caller may not access is
 * not found. Every method that returns a promise also throws SluiceError database_unavailable.
 */
export class ConversationsService {
  readonly #database: ConversationsDependencies['database'];
  readonly #log: ConversationsDependencies['log'];
  readonly #clock: Clock;
  /** Items that responses add, by conversation: the next request of the conversation waits for them. */
  readonly #adding = new Map<string, Promise<void>>();

  constructor({ database, log, clock = systemClock }: ConversationsDependencies) {
    this.#database = database;
    this.#log = log;
    this.#clock = clock;
  }

  create(
    { accountId, apiKeyId }: { readonly accountId: string; readonly apiKeyId: string },
    metadata: Readonly<Record<string, string>>,
    items: readonly StoredItem[],
  ): Promise<ConversationRow> {
    const id = randomUUID();
    const values = [id, accountId, apiKeyId, storableJson(metadata), new Date(this.#clock.now())];
    const insert = `insert into conversations (id, account_id, api_key_id, metadata, created_at) values ($1, $2, $3, $4::text::jsonb, $5) returning ${columns}`;
    return this.#transaction(async (client) => {
      const { rows } = await client.query<ConversationRow>(insert, values);
      await this.#insert(client, { id, accountId, eventId: null, items });
      return rows[0] ?? noConversation();
    });
  }

  /** @throws SluiceError not_found */
  get(reach: ObjectReach, publicId: string): Promise<ConversationRow> {
    return this.#one(`select ${columns} from conversations where ${reached}`, reach, publicId);
  }

  /** @throws SluiceError not_found */
  update(reach: ObjectReach, publicId: string, metadata: Readonly<Record<string, string>>): Promise<ConversationRow> {
    const text = `update conversations set metadata = $4::text::jsonb where ${reached} returning ${columns}`;
    return this.#one(text, reach, publicId, [storableJson(metadata)]);
  }

  /** Deletes it with its items. @throws SluiceError not_found */
  remove(reach: ObjectReach, publicId: string): Promise<ConversationRow> {
    return this.#one(`delete from conversations where ${reached} returning ${columns}`, reach, publicId);
  }

  /** @throws SluiceError not_found */
  async add(reach: ObjectReach, publicId: string, items: readonly StoredItem[]): Promise<void> {
    const { id } = await this.get(reach, publicId);
    await this.#adding.get(id);
    await this.#transaction((client) => this.#insert(client, { id, accountId: reach.accountId, eventId: null, items }));
  }

  /** @throws SluiceError not_found, also if `after` is not found */
  async items(reach: ObjectReach, publicId: string, { limit, order, after }: ListPageRequest): Promise<ItemPage> {
    const { id } = await this.get(reach, publicId);
    await this.#adding.get(id);
    const from = after === null ? null : await this.#positionOf(id, after);
    const beyond = order === 'desc' ? '<' : '>';
    const text = `select item from conversation_items where conversation_id = $1 and ($2::int is null or position ${beyond} $2) order by position ${order} limit $3`;
    const rows = await mapDatabaseErrors(() => this.#database.query<{ item: StoredItem }>(text, [id, from, limit + 1]));
    return { items: rows.slice(0, limit).map(({ item }) => item), hasMore: rows.length > limit };
  }

  /** @throws SluiceError not_found */
  async item(reach: ObjectReach, publicId: string, itemId: string): Promise<StoredItem> {
    const { id } = await this.get(reach, publicId);
    await this.#adding.get(id);
    if (!isStorableText(itemId)) return noItem();
    const text = 'select item from conversation_items where conversation_id = $1 and item_id = $2';
    const rows = await mapDatabaseErrors(() => this.#database.query<{ item: StoredItem }>(text, [id, itemId]));
    return rows[0]?.item ?? noItem();
  }

  /** @returns its conversation @throws SluiceError not_found */
  async removeItem(reach: ObjectReach, publicId: string, itemId: string): Promise<ConversationRow> {
    const conversation = await this.get(reach, publicId);
    await this.#adding.get(conversation.id);
    if (!isStorableText(itemId)) return noItem();
    const text = 'delete from conversation_items where conversation_id = $1 and item_id = $2 returning item_id';
    const rows = await mapDatabaseErrors(() => this.#database.query(text, [conversation.id, itemId]));
    if (rows.length === 0) noItem();
    return conversation;
  }

  /**
   * All items, oldest first, for a response that continues it.
   * @param eventId of the request, whose own items are left out: a repeated request finds those of its earlier run; null for none
   * @throws SluiceError not_found | invalid_value if it is too long
   */
  async content(reach: ObjectReach, publicId: string, eventId: string | null = null): Promise<readonly StoredItem[]> {
    const { id } = await this.get(reach, publicId);
    await this.#adding.get(id);
    const measure =
      'select count(*)::int as items, coalesce(sum(octet_length(item::text)), 0)::bigint as bytes from conversation_items where conversation_id = $1';
    const [size] = await mapDatabaseErrors(() => this.#database.query<{ items: number; bytes: string }>(measure, [id]));
    if ((size?.items ?? 0) > MAX_ITEMS || Number(size?.bytes ?? 0) > MAX_BYTES)
      throw new SluiceError('invalid_value', {
        param: 'conversation',
        values: { reason: 'it is too long. Start another, with what matters of it.' },
      });
    const text =
      'select item from conversation_items where conversation_id = $1 and ($2::uuid is null or event_id is distinct from $2) order by position';
    const rows = await mapDatabaseErrors(() => this.#database.query<{ item: StoredItem }>(text, [id, eventId]));
    return rows.map(({ item }) => item);
  }

  /**
   * Adds the items of a response, also after a database outage, and once for each event. Items at once stay in their order.
   * @returns when they are stored, or cannot be; never rejects
   */
  addSoon(accountId: string, publicId: string, eventId: string | null, items: readonly StoredItem[]): Promise<void> {
    const id = readConversationId(publicId);
    if (id === null) return Promise.resolve();
    const before = this.#adding.get(id) ?? Promise.resolve();
    const adding = before.then(() => this.#addWithRetries({ id, accountId, eventId, items }));
    this.#adding.set(id, adding);
    return adding.then(() => {
      if (this.#adding.get(id) === adding) this.#adding.delete(id);
    });
  }

  /** Waits until the items of responses are added. */
  async close(): Promise<void> {
    await Promise.all(this.#adding.values());
  }

  /** Never rejects. */
  async #addWithRetries(added: AddedItems): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#transaction((client) => this.#insert(client, added));
      } catch (err) {
        // It was deleted meanwhile.
        if (err instanceof SluiceError && err.code === 'not_found') return;
        this.#log.warn({ err, conversation: added.id }, 'adding items to a conversation failed');
        if (tries === MAX_RETRIES) return;
        await delay(this.#clock, RETRY_MS);
      }
    }
  }

  /** @throws SluiceError not_found if the conversation is deleted */
  async #insert(client: SqlClient, { id, accountId, eventId, items }: AddedItems): Promise<void> {
    if (items.length === 0) return;
    const locked = await client.query('select id from conversations where id = $1 for update', [id]);
    if (locked.rows.length === 0) noConversation();
    const earlier = 'select 1 from conversation_items where conversation_id = $1 and event_id = $2 limit 1';
    if (eventId !== null && (await client.query(earlier, [id, eventId])).rows.length > 0) return;
    const last = 'select coalesce(max(position), -1) as position from conversation_items where conversation_id = $1';
    const { rows } = await client.query<{ position: number }>(last, [id]);
    await client.query(insertItems, [id, accountId, rows[0]?.position ?? -1, storableJson(items), eventId]);
  }

  async #positionOf(id: string, itemId: string): Promise<number> {
    if (!isStorableText(itemId)) return noItem();
    const text = 'select position from conversation_items where conversation_id = $1 and item_id = $2';
    const rows = await mapDatabaseErrors(() => this.#database.query<{ position: number }>(text, [id, itemId]));
    return rows[0]?.position ?? noItem();
  }

  #one(
    text: string,
    { accountId, apiKeyId }: ObjectReach,
    publicId: string,
    more: readonly unknown[] = [],
  ): Promise<ConversationRow> {
    const id = readConversationId(publicId);
    if (id === null) return Promise.reject(notFound('conversation'));
    return mapDatabaseErrors(async () => {
      const [row] = await this.#database.query<ConversationRow>(text, [id, accountId, apiKeyId, ...more]);
      return row ?? noConversation();
    });
  }

  #transaction<T>(work: (client: SqlClient) => Promise<T>): Promise<T> {
    return mapDatabaseErrors(() => this.#database.transaction(work));
  }
}

function notFound(what: string): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}

function noConversation(): never {
  throw notFound('conversation');
}

function noItem(): never {
  throw notFound('item');
}
