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

/** Rows that a sample reads of a table. */
const SAMPLE_ROWS: Readonly<Record<SealKind, number>> = {
  credentials: 1_000,
  'content key': 1_000,
  encrypted_content: 100,
};

/** Values of some rows of a column. */
export interface ColumnSample {
  readonly column: SealedColumn;
  readonly values: readonly SealedValue[];
}

export interface ColumnCount {
  /** What the column holds, in the plural. */
  readonly name: string;
  readonly kind: SealKind;
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
    for (const column of await this.columns()) {
      let [values, undecryptable] = [0, 0];
      for await (const page of this.pages(column)) {
        const count = this.#count(column, page);
        values += count.values;
        undecryptable += count.undecryptable;
      }
      if (values + undecryptable > 0) counts.push({ name: column.name, kind: column.kind, values, undecryptable });
    }
    return counts;
  }

  /**
   * Values under another key among some rows of each column: the last ones by their keys, of which most increase with time. Takes as
   * long with any number of rows. @param kinds all if absent
   */
  async sample(kinds?: readonly SealKind[]): Promise<ColumnSample[]> {
    const samples: ColumnSample[] = [];
    for (const column of await this.columns()) {
      if (kinds?.includes(column.kind) === false) continue;
      const { table, keys, where, kind } = column;
      const order = keys.map(([name]) => `t.${name} desc`).join(', ');
      // Few rows of a small table have credentials; other tables can be large.
      const isWanted = `${where} and ${isUnderOtherKey(column, this.#dependencies.version)}`;
      const rows = kind === 'credentials' ? `where ${isWanted}` : `order by ${order}`;
      const source = `(select * from ${table} t ${rows} limit $1) t`;
      samples.push({ column, values: valuesOf(column, await this.#read(column, source, [SAMPLE_ROWS[kind]])) });
    }
    return samples;
  }

  /** As `remaining`, of a sample. */
  async remainingInSample(): Promise<ColumnCount[]> {
    const counts = (await this.sample()).map(({ column, values }): ColumnCount => this.#count(column, values));
    return counts.filter(({ values, undecryptable }) => values + undecryptable > 0);
  }

  #count({ name, kind }: SealedColumn, given: readonly SealedValue[]): ColumnCount {
    const values = given.filter((value) => this.#dependencies.resealer.reseal({ kind }, value) !== null).length;
    return { name, kind, values, undecryptable: given.length - values };
  }

  /** Ends between two batches when `signal` aborts. @returns what was done, of columns with values under another key */
  async run(signal: AbortSignal): Promise<RotationProgress[]> {
    const done: RotationProgress[] = [];
    for (const column of await this.columns()) {
      const progress = await this.#resealColumn(column, signal);
      if (progress.resealed + progress.failed > 0) done.push(progress);
    }
    return done;
  }

  async #resealColumn(column: SealedColumn, signal: AbortSignal): Promise<RotationProgress> {
    const { resealer, onProgress } = this.#dependencies;
    const { name } = column;
    let [resealed, failed] = [0, 0];
    for await (const page of this.pages(column)) {
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
  async *pages(column: SealedColumn): AsyncGenerator<SealedValue[]> {
    const { table, keys, kind } = column;
    const names = keys.map(([name]) => `t.${name}`).join(', ');
    const bounds = keys.map(([, type], at) => `$${at + 2}::${type}`).join(', ');
    let after: readonly string[] | null = null;
    for (;;) {
      const range = after === null ? '' : `where (${names}) > (${bounds})`;
      const source = `${table} t ${range} order by ${names} limit $1`;
      const rows: Row[] = await this.#read(column, source, [PAGE_ROWS[kind], ...(after ?? [])]);
      yield valuesOf(column, rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS[kind]) return;
      after = keysOf(column, last);
    }
  }

  /** Rows of `t`, with their values where those are under another key. @param source what follows `from`, as SQL */
  #read(column: SealedColumn, source: string, parameters: readonly unknown[]): Promise<Row[]> {
    const { database, version } = this.#dependencies;
    const { keys, value, account, boundTo = 'null', where } = column;
    const wanted = (expression: string): string =>
      `case when ${where} and ${isUnderOtherKey(column, version)} then ${expression} end`;
    return database.query<Row>(
      `select ${keys.map(([name], at) => `t.${name}::text as k${at}`).join(', ')}, ${wanted(`(${account})::text`)} as account,
         ${wanted(boundTo)} as bound_to, ${wanted(value)} as value
       from ${source}`,
      [...parameters],
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
  async columns(): Promise<SealedColumn[]> {
    const tables = [...new Set(sealedColumns.map(({ table }) => table))];
    const rows = await this.#dependencies.database.query<{ name: string }>(
      'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
      [tables],
    );
    const existing = new Set(rows.map(({ name }) => name));
    return sealedColumns.filter(({ table }) => existing.has(table));
  }
}

function keysOf({ keys }: SealedColumn, row: Row): string[] {
  return keys.map((_, at) => row[`k${at}`] ?? '');
}

function valuesOf(column: SealedColumn, rows: readonly Row[]): SealedValue[] {
  return rows.flatMap((row) =>
    row.value === null
      ? []
      : [{ row: keysOf(column, row), accountId: row.account, boundTo: row.bound_to, value: row.value }],
  );
}
