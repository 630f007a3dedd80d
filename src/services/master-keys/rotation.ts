import type { Database } from '../../database/database.ts';
import type { Resealer } from './reseal.ts';
import {
  isUnderOtherKey,
  sealedColumns,
  type SealedColumn,
  type SealedValue,
  type SealKind,
} from './sealed-columns.ts';

/** Rows that one statement reads: few enough for its time limit and for memory. JSON has up to megabytes each. */
const PAGE_ROWS: Readonly<Record<SealKind, number>> = {
  credentials: 1_000,
  'content key': 1_000,
  encrypted_content: 25,
};

export interface ColumnCount {
  /** What the column holds, in the plural. */
  readonly name: string;
  /** Values that a known key decrypts. */
  readonly values: number;
  /** Values that no known key decrypts. Clients can store such `encrypted_content`. */
  readonly undecryptable: number;
}

export interface RotationProgress {
  /** What the column holds, in the plural. */
  readonly name: string;
  readonly resealed: number;
  /** Values that cannot be decrypted by any known key. */
  readonly failed: number;
}

export interface RotationDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly resealer: Pick<Resealer, 'reseal'>;
  /** The version of the current master key. */
  readonly version: number;
  readonly onProgress?: (progress: RotationProgress) => void;
}

type Row = {
  readonly account: string | null;
  readonly bound_to: string | null;
  readonly value: Buffer | null;
} & Readonly<Record<`k${number}`, string>>;

/**
 * Encrypts what is stored under another master key again, in batches. A value is replaced only if it is still the one that was
 * read. It can be interrupted at any moment and run again: what was encrypted again names the current key.
 */
export class Rotation {
  readonly #dependencies: RotationDependencies;

  constructor(dependencies: RotationDependencies) {
    this.#dependencies = dependencies;
  }

  /** How many values are under another key, by column; only columns with such values. */
  async remaining(): Promise<ColumnCount[]> {
    const counts: ColumnCount[] = [];
    for (const column of await this.#columns()) {
      let [values, undecryptable] = [0, 0];
      for await (const page of this.#pages(column))
        for (const value of page)
          if (this.#dependencies.resealer.reseal(column, value) === null) undecryptable++;
          else values++;
      if (values + undecryptable > 0) counts.push({ name: column.name, values, undecryptable });
    }
    return counts;
  }

  /** A value under another key of each column that has one: to test keys with. */
  async samples(): Promise<(readonly [SealedColumn, SealedValue])[]> {
    const samples: (readonly [SealedColumn, SealedValue])[] = [];
    for (const column of await this.#columns())
      for await (const [value] of this.#pages(column))
        if (value !== undefined) {
          samples.push([column, value]);
          break;
        }
    return samples;
  }

  /** Ends between two batches when `signal` aborts. @returns what was done, of columns with values under another key */
  async run(signal: AbortSignal): Promise<RotationProgress[]> {
    const done: RotationProgress[] = [];
    for (const column of await this.#columns()) {
      const progress = await this.#resealColumn(column, signal);
      if (progress.resealed + progress.failed > 0) done.push(progress);
    }
    return done;
  }

  async #resealColumn(column: SealedColumn, signal: AbortSignal): Promise<RotationProgress> {
    const { resealer, onProgress } = this.#dependencies;
    const { name } = column;
    let [resealed, failed] = [0, 0];
    for await (const page of this.#pages(column)) {
      if (signal.aborted) break;
      const values = page.map((given) => ({ given, value: resealer.reseal(column, given) }));
      const replaced = values.flatMap(({ given, value }) => (value === null ? [] : [{ given, value }]));
      if (replaced.length > 0) await this.#replace(column, replaced);
      resealed += replaced.length;
      failed += values.length - replaced.length;
      onProgress?.({ name, resealed, failed });
    }
    return { name, resealed, failed };
  }

  /** The values under another key, of consecutive rows of the table. */
  async *#pages(column: SealedColumn): AsyncGenerator<SealedValue[]> {
    const { keys } = column;
    const keysOf = (row: Row): string[] => keys.map((_, at) => row[`k${at}`] ?? '');
    let after: readonly string[] | null = null;
    for (;;) {
      const rows: Row[] = await this.#page(column, after);
      yield rows.flatMap((row) =>
        row.value === null
          ? []
          : [{ row: keysOf(row), accountId: row.account, boundTo: row.bound_to, value: row.value }],
      );
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS[column.kind]) return;
      after = keysOf(last);
    }
  }

  #page(column: SealedColumn, after: readonly string[] | null): Promise<Row[]> {
    const { database, version } = this.#dependencies;
    const { table, keys, value, account, boundTo = 'null', where } = column;
    const names = keys.map(([name]) => `t.${name}`).join(', ');
    const bounds = keys.map(([, type], at) => `$${at + 2}::${type}`).join(', ');
    const wanted = (expression: string): string =>
      `case when ${where} and ${isUnderOtherKey(column, version)} then ${expression} end`;
    return database.query<Row>(
      `select ${keys.map(([name], at) => `t.${name}::text as k${at}`).join(', ')}, ${wanted(`(${account})::text`)} as account,
         ${wanted(boundTo)} as bound_to, ${wanted(value)} as value
       from ${table} t ${after === null ? '' : `where (${names}) > (${bounds})`} order by ${names} limit $1`,
      [PAGE_ROWS[column.kind], ...(after ?? [])],
    );
  }

  /** A row that was changed meanwhile keeps its value: it is under the current key, or the next run finds it. */
  async #replace(
    { table, keys, value, assignment }: SealedColumn,
    replaced: readonly { readonly given: SealedValue; readonly value: Buffer }[],
  ): Promise<void> {
    const [before, next] = [keys.length + 1, keys.length + 2];
    await this.#dependencies.database.query(
      `update ${table} t set ${assignment.replace('$new', () => "decode(v.new, 'hex')")}
       from (select ${keys.map(([, type], at) => `unnest($${at + 1}::text[])::${type} as k${at}`).join(', ')},
         unnest($${before}::text[]) as old, unnest($${next}::text[]) as new) v
       where ${keys.map(([name], at) => `t.${name} = v.k${at}`).join(' and ')} and ${value} = decode(v.old, 'hex')`,
      [
        ...keys.map((_, at) => replaced.map(({ given }) => given.row[at])),
        replaced.map(({ given }) => given.value.toString('hex')),
        replaced.map((each) => each.value.toString('hex')),
      ],
    );
  }

  /** Without those of tables that do not exist: the job queue makes its own when a server starts. */
  async #columns(): Promise<SealedColumn[]> {
    const tables = [...new Set(sealedColumns.map(({ table }) => table))];
    const rows = await this.#dependencies.database.query<{ name: string }>(
      'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
      [tables],
    );
    const existing = new Set(rows.map(({ name }) => name));
    return sealedColumns.filter(({ table }) => existing.has(table));
  }
}
