import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { CompletionStore, NewCompletion } from '../../gateway/capabilities/chat/storage/completion-store.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { removeExpiredRows, type ExpiringStore } from '../expiry/expiring-store.ts';
import type { ListPageRequest } from '../list-page.ts';
import { storableJson } from '../storable-json.ts';
import { UnstoredRows } from '../unstored-rows/unstored-rows.ts';
import {
  columns,
  insertRows,
  isCompletionId,
  ofUnstored,
  toCompletionRow,
  unstoredCompletion,
  type ChatCompletionRow,
  type InsertedRow,
  type JsonObject,
  type Metadata,
  type ReadRow,
} from './chat-completion-rows.ts';

export interface ChatCompletionsDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

export interface CompletionFilter {
  /** As requested, or as the completion names it. */
  readonly model: string | null;
  /** All of these members. */
  readonly metadata: Metadata;
}

export interface ChatCompletionPage {
  readonly rows: readonly ChatCompletionRow[];
  readonly hasMore: boolean;
}

/** Accessible completions of one id: one, unless it was stored by an id of its provider before ids were Sluice's own. */
const reached = 'completion_id = $1 and account_id = $2 and ($3::uuid is null or api_key_id = $3)';
const newest = 'order by created_at desc, id desc limit 1';

/**
 * Stored chat completions, by the ids that their clients received. One that the caller may not access is not found. Every method
 * that returns a promise also throws SluiceError database_unavailable.
 */
export class ChatCompletionsService implements CompletionStore, ExpiringStore {
  readonly #database: Pick<Database, 'query'>;
  readonly #clock: Clock;
  readonly #unstored: UnstoredRows<InsertedRow>;

  constructor({ database, log, clock = systemClock }: ChatCompletionsDependencies) {
    this.#database = database;
    this.#clock = clock;
    const table = { insert: insertRows, what: 'completions', shownName: (name: string) => name };
    this.#unstored = new UnstoredRows({ database, log, clock }, table);
  }

  /** Stores it without waiting, and again after a database outage. */
  storeSoon(completion: NewCompletion): void {
    this.#unstored.add(unstoredCompletion(completion));
  }

  /** @throws SluiceError not_found */
  async get(reach: ObjectReach, completionId: string): Promise<ChatCompletionRow> {
    const unstored = this.#unstored.find(reach, completionId);
    if (unstored !== null) return ofUnstored(unstored);
    const text = `select ${columns} from chat_completions where ${reached} ${newest}`;
    const [row] = await this.#read<ReadRow>(text, reach, completionId);
    return row === undefined ? noCompletion() : toCompletionRow(row);
  }

  /** The messages of its request, in their order. @throws SluiceError not_found */
  async messages(reach: ObjectReach, completionId: string): Promise<readonly JsonObject[]> {
    const unstored = this.#unstored.find(reach, completionId);
    if (unstored !== null) return unstored.messages;
    const text = `select messages from chat_completions where ${reached} ${newest}`;
    const [row] = await this.#read<Pick<InsertedRow, 'messages'>>(text, reach, completionId);
    return row?.messages ?? noCompletion();
  }

  /** The account's completions among these UUIDs. */
  async byIds({ accountId }: ObjectReach, ids: readonly string[]): Promise<ChatCompletionRow[]> {
    const text = `select ${columns} from chat_completions where account_id = $1 and id = any($2::uuid[])`;
    const rows = await mapDatabaseErrors(() => this.#database.query<ReadRow>(text, [accountId, ids]));
    return rows.map(toCompletionRow);
  }

  /** A page in the order of creation. @throws SluiceError not_found if `after` is not found */
  async list(
    reach: ObjectReach,
    { limit, order, after }: ListPageRequest,
    { model, metadata }: CompletionFilter,
  ): Promise<ChatCompletionPage> {
    const { accountId, apiKeyId } = reach;
    await this.#unstored.settled(accountId);
    const from = after === null ? null : await this.get(reach, after);
    const beyond = order === 'desc' ? '<' : '>';
    const text = `
      select ${columns} from chat_completions
      where account_id = $1 and ($2::uuid is null or api_key_id = $2)
        and ($3::text is null or model = $3 or served_model = $3) and metadata @> $4::text::jsonb
        and ($5::timestamptz is null or (created_at, id) ${beyond} ($5, $6::uuid))
      order by created_at ${order}, id ${order} limit $7`;
    const values = [accountId, apiKeyId, model, storableJson(metadata), from?.createdAt, from?.id, limit + 1];
    const rows = await mapDatabaseErrors(() => this.#database.query<ReadRow>(text, values.map(orNull)));
    return { rows: rows.slice(0, limit).map(toCompletionRow), hasMore: limit > 0 && rows.length > limit };
  }

  /** Replaces its metadata. @throws SluiceError not_found */
  async update(reach: ObjectReach, completionId: string, metadata: Metadata): Promise<ChatCompletionRow> {
    await this.#unstored.change(reach, completionId, (row) => storableJson({ ...row, metadata }));
    const text = `update chat_completions set metadata = $4::text::jsonb where ${reached} returning ${columns}`;
    const rows = await this.#read<ReadRow>(text, reach, completionId, [storableJson(metadata)]);
    const unstored = this.#unstored.find(reach, completionId);
    if (unstored !== null) return ofUnstored(unstored);
    const [latest] = rows.toSorted((one, other) => other.createdAt - one.createdAt);
    return latest === undefined ? noCompletion() : toCompletionRow(latest);
  }

  /** @throws SluiceError not_found */
  async remove(reach: ObjectReach, completionId: string): Promise<void> {
    const wasUnstored = await this.#unstored.withdraw(reach, completionId);
    const text = `delete from chat_completions where ${reached} returning id`;
    const deleted = await this.#read(text, reach, completionId);
    if (deleted.length === 0 && !wasUnstored) noCompletion();
  }

  removeExpired(signal?: AbortSignal): Promise<void> {
    return removeExpiredRows(this.#database, 'chat_completions', new Date(this.#clock.now()), signal);
  }

  /** Waits some seconds until pending completions are stored. */
  close(): Promise<void> {
    return this.#unstored.close();
  }

  /** @param text with the parameters of `reached` first */
  async #read<Row extends object>(
    text: string,
    { accountId, apiKeyId }: ObjectReach,
    completionId: string,
    more: readonly unknown[] = [],
  ): Promise<Row[]> {
    if (!isCompletionId(completionId)) return [];
    const values = [completionId, accountId, apiKeyId, ...more];
    return mapDatabaseErrors(() => this.#database.query<Row>(text, values));
  }
}

function orNull(value: unknown): unknown {
  return value ?? null;
}

/** Another account's completion is not found. */
function noCompletion(): never {
  throw new SluiceError('not_found', { values: { what: 'chat completion' } });
}
