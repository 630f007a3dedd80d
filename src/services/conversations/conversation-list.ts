import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ListPageRequest } from '../list-page.ts';
import type { Page } from '../page-by-creation.ts';
import { readConversationId } from './conversation-id.ts';

/** A conversation with the number of its items. */
export interface ListedConversation {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly items: number;
}

interface ReadRow extends Omit<ListedConversation, 'createdAt'> {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

const columns = `id, metadata, (extract(epoch from created_at) * 1000)::float8 as "createdAt",
  (select count(*)::int from conversation_items where conversation_id = listed.id) as items`;
const reached = 'account_id = $1 and ($2::uuid is null or api_key_id = $2)';

/**
 * Conversations in lists. Internal ids are UUIDs, public ones `conv_…`; one that the caller may not access is not found. Every
 * method also throws SluiceError database_unavailable.
 */
export class ConversationList {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** By creation. @param page `after` is a public id @throws SluiceError not_found for an `after` that is not found */
  async list(reach: ObjectReach, { limit, order, after }: ListPageRequest): Promise<Page<ListedConversation>> {
    const from = after === null ? null : await this.get(reach, after);
    const beyond = order === 'desc' ? '<' : '>';
    const text = `select ${columns} from conversations as listed
      where ${reached} and ($3::timestamptz is null or (created_at, id) ${beyond} ($3, $4::uuid))
      order by created_at ${order}, id ${order} limit $5`;
    const rows = await this.#read(text, reach, [from?.createdAt ?? null, from?.id ?? null, limit + 1]);
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  /** @throws SluiceError not_found */
  async get(reach: ObjectReach, publicId: string): Promise<ListedConversation> {
    const id = readConversationId(publicId);
    const [row] = id === null ? [] : await this.byIds(reach, [id]);
    if (row === undefined) throw new SluiceError('not_found', { values: { what: 'conversation' } });
    return row;
  }

  /** Those of these UUIDs that the caller may access, in any order. */
  byIds(reach: ObjectReach, ids: readonly string[]): Promise<ListedConversation[]> {
    return this.#read(
      `select ${columns} from conversations as listed where ${reached} and id = any($3::uuid[])`,
      reach,
      [ids],
    );
  }

  async #read(
    text: string,
    { accountId, apiKeyId }: ObjectReach,
    more: readonly unknown[],
  ): Promise<ListedConversation[]> {
    const values = [accountId, apiKeyId, ...more];
    const rows = await mapDatabaseErrors(() => this.#database.query<ReadRow>(text, values));
    return rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: new Date(createdAt) }));
  }
}
