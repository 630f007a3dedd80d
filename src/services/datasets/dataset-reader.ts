import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ContentSeal } from '../content-log/content-seal.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ItemDocument } from './dataset-document.ts';
import * as sql from './dataset-rows.ts';
import type { DatasetRow, ItemHead, ItemLength, ItemRow } from './dataset-rows.ts';

/** An item with its content; null where it was encrypted under another secret of the server, or was not read. */
export interface OpenedItem {
  readonly row: ItemHead;
  readonly document: ItemDocument | null;
}

/** Limits the content that is read together. */
export interface ContentBudget {
  /** Called with a length before content is read. @throws SluiceError if that is too much */
  spend(bytes: number): void;
}

/** What is read of items. */
export interface ItemReading {
  /** Default: true. */
  readonly withContent?: boolean;
  readonly budget?: ContentBudget;
}

/** Of a page of items, before they are compressed; one item is never longer. */
const PAGE_BYTES = 1_000_000;

/** Reads datasets of an account. Every method also throws SluiceError database_unavailable. */
export class DatasetReader {
  readonly #database: Pick<Database, 'query'>;
  readonly #seal: Pick<ContentSeal, 'open'>;

  constructor(database: Pick<Database, 'query'>, seal: Pick<ContentSeal, 'open'>) {
    this.#database = database;
    this.#seal = seal;
  }

  /** @throws SluiceError not_found */
  async get(accountId: string, id: string): Promise<DatasetRow> {
    const [row] = await this.byIds(accountId, [id]);
    if (row === undefined) throw datasetNotFound();
    return row;
  }

  byIds(accountId: string, ids: readonly string[]): Promise<DatasetRow[]> {
    const text = `select ${sql.datasetColumns} from datasets where account_id = $1 and id = any($2::uuid[])`;
    return this.#query<DatasetRow>(text, [accountId, ids]);
  }

  /** Newest first. @param after the end of the previous page */
  async list(
    accountId: string,
    limit: number,
    after: { readonly at: Date; readonly id: string } | null,
    backwards = false,
  ): Promise<{ readonly rows: readonly DatasetRow[]; readonly hasMore: boolean }> {
    const values = [accountId, limit + 1, after?.at ?? null, after?.id ?? null];
    const rows = await this.#query<DatasetRow>(sql.pageOfDatasets(backwards), values);
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  /** In the order in which they were added; a page ends early where the content that it reads is long. @param after a position */
  async items(
    accountId: string,
    id: string,
    limit: number,
    after: number | null,
    backwards = false,
    reading: ItemReading = {},
  ): Promise<{ readonly rows: readonly OpenedItem[]; readonly hasMore: boolean }> {
    const maxBytes = reading.withContent === false ? Number.MAX_SAFE_INTEGER : PAGE_BYTES;
    const values = [accountId, id, limit, after, maxBytes];
    const lengths = await this.#query<ItemLength & { more: boolean }>(sql.pageOfItems(backwards), values);
    const rows = await this.#load(accountId, lengths, reading);
    // All were removed in the meantime: others take their place.
    if (rows.length === 0 && lengths.length > 0) return this.items(accountId, id, limit, after, backwards, reading);
    return { rows, hasMore: lengths.at(-1)?.more ?? false };
  }

  async itemsByIds(accountId: string, ids: readonly string[], reading: ItemReading): Promise<OpenedItem[]> {
    return this.#load(accountId, await this.#query<ItemLength>(sql.lengthsById, [accountId, ids]), reading);
  }

  /** In the order of the lengths, without items that were removed since. */
  async #load(
    accountId: string,
    lengths: readonly ItemLength[],
    { withContent = true, budget }: ItemReading,
  ): Promise<OpenedItem[]> {
    if (lengths.length === 0) return [];
    if (withContent) budget?.spend(lengths.reduce((sum, { bytes }) => sum + bytes, 0));
    const select = (columns: string): string =>
      `select ${columns} from dataset_items where account_id = $1 and id = any($2::uuid[])`;
    const values = [accountId, lengths.map(({ id }) => id)];
    const items = withContent
      ? (await this.#query<ItemRow>(select(sql.itemRow), values)).map((row) => this.#opened(accountId, row))
      : (await this.#query<ItemHead>(select(sql.itemHead), values)).map((row) => ({ row, document: null }));
    const byId = new Map(items.map((item) => [item.row.id, item]));
    return lengths.flatMap(({ id }) => {
      const item = byId.get(id);
      return item === undefined ? [] : [item];
    });
  }

  #opened(accountId: string, row: ItemRow): OpenedItem {
    const sealed = { bytes: row.content, wrappedKey: row.wrapped_key };
    const opened = this.#seal.open(sealed, { accountId, eventId: row.id });
    // Written by `DatasetsService.add`.
    return { row, document: opened === null ? null : (JSON.parse(opened.toString()) as ItemDocument) };
  }

  #query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return mapDatabaseErrors(() => this.#database.query<Row>(text, values));
  }
}

export function datasetNotFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'dataset' } });
}
