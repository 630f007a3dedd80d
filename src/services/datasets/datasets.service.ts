import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { insertAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ContentSeal } from '../content-log/content-seal.ts';
import type { ItemCopies, SkippedRequest } from './item-copies.ts';
import { datasetNotFound, type DatasetReader } from './dataset-reader.ts';
import * as sql from './dataset-rows.ts';
import type { DatasetRow } from './dataset-rows.ts';

export interface DatasetsDependencies {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly seal: Pick<ContentSeal, 'seal'>;
  readonly reader: Pick<DatasetReader, 'get'>;
  readonly copies: Pick<ItemCopies, 'each'>;
  /** Ends the runs of a dataset within the transaction that deletes it. */
  readonly endRuns: (client: SqlClient, datasetId: string) => Promise<void>;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly clock?: Pick<Clock, 'now'>;
}

export interface DatasetStorage {
  readonly items: number;
  readonly maxItems: number;
  readonly bytes: number;
  readonly maxBytes: number;
}

export interface AddedItems {
  readonly dataset: DatasetRow;
  readonly added: number;
  readonly skipped: readonly SkippedRequest[];
}

/** Requests that are added at once. */
export const MAX_ADDED = 100;
const MAX_DATASETS = 1_000;
const MAX_NAME_CHARACTERS = 200;
/**
 * Changes datasets of an account. Another account's dataset is not found. Every method also throws SluiceError database_unavailable.
 */
export class DatasetsService {
  readonly #dependencies: DatasetsDependencies;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(dependencies: DatasetsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** @throws SluiceError bad_user_input | zero_retention | dataset_storage_full */
  async create(accountId: string, name: string): Promise<DatasetRow> {
    const label = readName(name);
    const id = randomUUID();
    await this.#change(accountId, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int as count from datasets where account_id = $1',
        [accountId],
      );
      if ((rows[0]?.count ?? 0) >= MAX_DATASETS)
        throw full(`${MAX_DATASETS + 1} datasets`, `${MAX_DATASETS} datasets`, 'Delete datasets that are not needed.');
      await client.query(
        'insert into datasets (id, account_id, name, created_at, updated_at) values ($1, $2, $3, $4, $4)',
        [id, accountId, label, this.#now()],
      );
      await insertAudit(client, { accountId, action: 'dataset.created', target: targetOf(id, label) });
    });
    return this.#dependencies.reader.get(accountId, id);
  }

  /** @throws SluiceError not_found | bad_user_input */
  async rename(accountId: string, id: string, name: string): Promise<DatasetRow> {
    const label = readName(name);
    await this.#transaction(async (client) => {
      const before = await lock(client, accountId, id);
      await client.query('update datasets set name = $1, updated_at = $2 where id = $3', [label, this.#now(), id]);
      const changes = [{ field: 'name', before: before.name, after: label }];
      await insertAudit(client, { accountId, action: 'dataset.renamed', target: targetOf(id, label), changes });
    });
    return this.#dependencies.reader.get(accountId, id);
  }

  /** With its items. @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    await this.#transaction(async (client) => {
      const { name } = await lock(client, accountId, id);
      await this.#dependencies.endRuns(client, id);
      await client.query('delete from datasets where id = $1', [id]);
      await insertAudit(client, { accountId, action: 'dataset.deleted', target: targetOf(id, name) });
    });
  }

  async storageOf(accountId: string): Promise<DatasetStorage> {
    const { maxItems, maxBytes } = this.#dependencies;
    const [row] = await this.#query<{ items: number; bytes: string }>(sql.usage, [accountId]);
    return { items: row?.items ?? 0, maxItems, bytes: Number(row?.bytes ?? 0), maxBytes };
  }

  /**
   * Copies requests in the order of their ids. One that cannot be copied, or is in the dataset already, is skipped.
   * @throws SluiceError not_found | bad_user_input | zero_retention | dataset_storage_full
   */
  async add(accountId: string, id: string, eventIds: readonly string[]): Promise<AddedItems> {
    await this.#dependencies.reader.get(accountId, id);
    if (eventIds.length === 0 || eventIds.length > MAX_ADDED)
      throw invalid('usageLogIds', `Give 1 to ${MAX_ADDED} requests.`);
    const { sealed, skipped } = await this.#sealed(accountId, eventIds);
    let added = 0;
    await this.#change(accountId, async (client) => {
      const { name, next_position: first } = await lock(client, accountId, id);
      for (const { itemId, eventId, length, bytes, wrappedKey } of sealed) {
        const values = [itemId, accountId, id, first + added, eventId, length, bytes, wrappedKey, this.#now()];
        const { rowCount } = await client.query(sql.insertItem, values);
        if (rowCount === 0) skipped.push({ eventId, reason: 'The dataset contains this request already.' });
        else added++;
      }
      if (added === 0) return;
      await this.#requireSpace(client, accountId);
      const text = 'update datasets set next_position = next_position + $1, updated_at = $2 where id = $3';
      await client.query(text, [added, this.#now(), id]);
      const changes = [{ field: 'added', before: null, after: added }];
      await insertAudit(client, { accountId, action: 'dataset.items_added', target: targetOf(id, name), changes });
    });
    return { dataset: await this.#dependencies.reader.get(accountId, id), added, skipped };
  }

  /** Before the transaction, which is short then. */
  async #sealed(
    accountId: string,
    eventIds: readonly string[],
  ): Promise<{ readonly sealed: readonly SealedItem[]; readonly skipped: SkippedRequest[] }> {
    const sealed: SealedItem[] = [];
    const skipped: SkippedRequest[] = [];
    for await (const copy of this.#dependencies.copies.each(accountId, eventIds)) {
      if ('reason' in copy) {
        skipped.push(copy);
        continue;
      }
      const { eventId, document } = copy;
      const itemId = randomUUID();
      const { bytes, wrappedKeys } = await this.#dependencies.seal.seal(accountId, [{ eventId: itemId, document }]);
      sealed.push({ itemId, eventId, length: document.length, bytes, wrappedKey: wrappedKeys });
    }
    return { sealed, skipped };
  }

  /** Those of the dataset. @throws SluiceError not_found */
  async removeItems(accountId: string, id: string, itemIds: readonly string[]): Promise<DatasetRow> {
    await this.#transaction(async (client) => {
      const { name } = await lock(client, accountId, id);
      const text = 'delete from dataset_items where dataset_id = $1 and account_id = $2 and id = any($3::uuid[])';
      const { rowCount } = await client.query(text, [id, accountId, itemIds]);
      if (rowCount === 0) return;
      await client.query('update datasets set updated_at = $1 where id = $2', [this.#now(), id]);
      const changes = [{ field: 'removed', before: null, after: rowCount }];
      await insertAudit(client, { accountId, action: 'dataset.items_removed', target: targetOf(id, name), changes });
    });
    return this.#dependencies.reader.get(accountId, id);
  }

  async #requireSpace(client: SqlClient, accountId: string): Promise<void> {
    const { maxItems, maxBytes } = this.#dependencies;
    const { rows } = await client.query<{ items: number; bytes: string }>(sql.usage, [accountId]);
    const { items = 0, bytes = '0' } = rows[0] ?? {};
    if (items > maxItems) throw full(`${items} items`, `${maxItems} items`, 'Remove items that are not needed.');
    if (Number(bytes) > maxBytes) throw datasetBytesFull(bytes, maxBytes);
  }

  /** Changes that store something: one at a time for each account, which must not have zero retention. */
  #change(accountId: string, work: (client: SqlClient) => Promise<void>): Promise<void> {
    return this.#transaction(async (client) => {
      const { rows } = await client.query<{ zero_retention: boolean }>(sql.lockAccount, [accountId]);
      const [account] = rows;
      if (account === undefined) throw new SluiceError('not_found', { values: { what: 'account' } });
      if (account.zero_retention)
        throw new SluiceError('zero_retention', {
          values: { what: 'A dataset', next: 'Export usage without content.' },
        });
      await work(client);
    });
  }

  #transaction(work: (client: SqlClient) => Promise<void>): Promise<void> {
    return mapDatabaseErrors(() => this.#dependencies.database.transaction(work));
  }

  #query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return mapDatabaseErrors(() => this.#dependencies.database.query<Row>(text, values));
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

interface SealedItem {
  readonly itemId: string;
  readonly eventId: string;
  /** Of the document. */
  readonly length: number;
  readonly bytes: Buffer;
  readonly wrappedKey: Buffer;
}

interface LockedDataset {
  readonly name: string;
  readonly next_position: number;
}

async function lock(client: SqlClient, accountId: string, id: string): Promise<LockedDataset> {
  const { rows } = await client.query<LockedDataset>(sql.lockDataset, [id, accountId]);
  const [found] = rows;
  if (found === undefined) throw datasetNotFound();
  return found;
}

function readName(name: string): string {
  const text = name.trim();
  if (text === '' || text.length > MAX_NAME_CHARACTERS)
    throw invalid('name', `A name has 1 to ${MAX_NAME_CHARACTERS} characters.`);
  return text;
}

function targetOf(id: string, label: string): { type: string; id: string; label: string } {
  return { type: 'dataset', id, label };
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason } });
}

/** @param bytes of items and of runs */
export function datasetBytesFull(bytes: string, maxBytes: number): SluiceError {
  return full(`${bytes} bytes`, `${maxBytes} bytes`, 'Remove items, or delete runs, that are not needed.');
}

function full(used: string, limit: string, next: string): SluiceError {
  return new SluiceError('dataset_storage_full', { values: { used, limit, next } });
}
