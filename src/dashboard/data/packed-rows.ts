/** The subset of an array that a table needs. */
export interface Rows<T> {
  readonly length: number;
  slice(first: number, end: number): readonly T[];
}

interface Page {
  /** Index of its first row. */
  readonly first: number;
  readonly count: number;
  readonly text: string;
}

/** Covers more than one screen. */
const MAX_PARSED_PAGES = 8;
/** A page that rows are inserted into is split above this. */
const MAX_PAGE_ROWS = 100;

/**
 * Hundreds of thousands of rows, appended and read a few at a time. Stored as JSON text per page: a garbage collection over a
 * million small objects would block the page noticeably. Rows must be JSON values.
 */
export class PackedRows<T> implements Rows<T> {
  readonly length: number;
  readonly #pages: readonly Page[];
  /** Most recently read pages, latest last. */
  readonly #parsedPages: Map<Page, readonly T[]>;

  private constructor(pages: readonly Page[], parsedPages: Map<Page, readonly T[]>) {
    const last = pages.at(-1);
    this.length = last === undefined ? 0 : last.first + last.count;
    this.#pages = pages;
    this.#parsedPages = parsedPages;
  }

  static empty<T>(): PackedRows<T> {
    return new PackedRows<T>([], new Map());
  }

  /** Appends rows. */
  with(rows: readonly T[]): PackedRows<T> {
    const page = { first: this.length, count: rows.length, text: JSON.stringify(rows) };
    return rows.length === 0 ? this : new PackedRows([...this.#pages, page], this.#parsedPages);
  }

  /**
   * Inserts rows where they belong; one that is there already is not inserted again.
   * @param rows in the order of the table @param compare negative if the first belongs before the other, 0 for the same row
   */
  inserted(rows: readonly T[], compare: (one: T, other: T) => number): PackedRows<T> {
    const waiting = [...rows];
    const pages: Page[] = [];
    let first = 0;
    const add = (content: readonly T[], text = JSON.stringify(content)): void => {
      pages.push({ first, count: content.length, text });
      first += content.length;
    };
    for (const page of this.#pages) {
      const content = waiting.length === 0 ? [] : this.#rowsOf(page);
      const last = content.at(-1);
      const end = last === undefined ? 0 : waiting.findLastIndex((row) => compare(row, last) <= 0) + 1;
      const added = waiting.splice(0, end).filter((row) => content.every((each) => compare(row, each) !== 0));
      if (added.length === 0) {
        pages.push(page.first === first ? page : { ...page, first });
        first += page.count;
      } else for (const part of partsOf([...content, ...added].toSorted(compare))) add(part);
    }
    if (waiting.length > 0) add(waiting);
    return first === this.length ? this : new PackedRows(pages, this.#parsedPages);
  }

  /** @param first inclusive, from 0 @param end exclusive */
  slice(first: number, end: number): T[] {
    const rows: T[] = [];
    for (let at = this.#pageOf(first); at < this.#pages.length; at += 1) {
      const page = this.#pages[at];
      if (page === undefined || page.first >= end) break;
      rows.push(...this.#rowsOf(page).slice(Math.max(0, first - page.first), end - page.first));
    }
    return rows;
  }

  /** Pages differ in length. @returns the number of pages if no page contains the row */
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
    const rows: readonly T[] = this.#parsedPages.get(page) ?? JSON.parse(page.text);
    this.#parsedPages.delete(page);
    this.#parsedPages.set(page, rows);
    for (const oldest of this.#parsedPages.keys())
      if (this.#parsedPages.size > MAX_PARSED_PAGES) this.#parsedPages.delete(oldest);
    return rows;
  }
}

/** Of at most `MAX_PAGE_ROWS` each; the first may be shorter, because most rows are inserted there. */
function partsOf<T>(rows: readonly T[]): (readonly T[])[] {
  const rest = rows.length % MAX_PAGE_ROWS;
  const parts: (readonly T[])[] = rest === 0 ? [] : [rows.slice(0, rest)];
  for (let at = rest; at < rows.length; at += MAX_PAGE_ROWS) parts.push(rows.slice(at, at + MAX_PAGE_ROWS));
  return parts;
}
