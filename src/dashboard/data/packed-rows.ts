/** What a table needs of its rows: an array has it. */
export interface Rows<T> {
  readonly length: number;
  slice(first: number, end: number): readonly T[];
}

interface Page {
  /** How many rows stand before it. */
  readonly first: number;
  readonly count: number;
  readonly text: string;
}

/** More than one screen shows. */
const MAX_READ = 8;

/**
 * Rows by the hundred thousand, which are added to and read a few at a time. They are kept as text, a page each: a million
 * small objects would be walked through by the browser each time that it collects garbage, for as long as a page must not
 * stand still. Rows are what JSON can say.
 */
export class PackedRows<T> implements Rows<T> {
  readonly length: number;
  readonly #pages: readonly Page[];
  /** Pages that were read last, the newest at the end. */
  readonly #read: Map<Page, readonly T[]>;

  private constructor(pages: readonly Page[], read: Map<Page, readonly T[]>) {
    const last = pages.at(-1);
    this.length = last === undefined ? 0 : last.first + last.count;
    this.#pages = pages;
    this.#read = read;
  }

  static empty<T>(): PackedRows<T> {
    return new PackedRows<T>([], new Map());
  }

  /** These rows and more behind them. */
  with(rows: readonly T[]): PackedRows<T> {
    const page = { first: this.length, count: rows.length, text: JSON.stringify(rows) };
    return rows.length === 0 ? this : new PackedRows([...this.#pages, page], this.#read);
  }

  /** @param first from 0 @param end the first that is not among them */
  slice(first: number, end: number): T[] {
    const rows: T[] = [];
    for (let at = this.#pageOf(first); at < this.#pages.length; at += 1) {
      const page = this.#pages[at];
      if (page === undefined || page.first >= end) break;
      rows.push(...this.#rowsOf(page).slice(Math.max(0, first - page.first), end - page.first));
    }
    return rows;
  }

  /** Pages are of any length. @returns the number of pages where the row is in none */
  #pageOf(row: number): number {
    let [low, high] = [0, this.#pages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const page = this.#pages[middle];
      if (page !== undefined && page.first + page.count <= row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rowsOf(page: Page): readonly T[] {
    const rows: readonly T[] = this.#read.get(page) ?? JSON.parse(page.text);
    this.#read.delete(page);
    this.#read.set(page, rows);
    for (const oldest of this.#read.keys()) if (this.#read.size > MAX_READ) this.#read.delete(oldest);
    return rows;
  }
}
