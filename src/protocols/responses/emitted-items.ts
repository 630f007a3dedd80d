import type { JsonObject } from '../canonical/json-members.ts';

const MAX_ITEMS = 10_000;

/** What is written of one output item: events bring a text in pieces, and then complete once or several times. */
export class EmittedItem {
  /** The writer's number of the call that the item is; null before it is written, and for other items. */
  call: number | null = null;
  /** Whether the complete item is written. */
  closed = false;
  /** How many characters of content came before each part of it: citations count within their part. */
  readonly starts = new Map<number, number>();
  readonly #texts = new Map<string, string>();
  readonly #citations = new Set<string>();

  /** Whether nothing of the text is written yet. */
  isNew(part: string): boolean {
    return !this.#texts.has(part);
  }

  /** Records a piece as written. */
  add(part: string, piece: string): void {
    this.#texts.set(part, (this.#texts.get(part) ?? '') + piece);
  }

  /** The rest of a complete text; empty where it differs from its pieces. */
  rest(part: string, complete: string): string {
    const emitted = this.#texts.get(part) ?? '';
    return complete.startsWith(emitted) ? complete.slice(emitted.length) : '';
  }

  /** @returns whether the citation is a new one; events count them from 0 within their part */
  cites(part: string, index: number): boolean {
    const key = `${part}:${index}`;
    if (this.#citations.has(key)) return false;
    this.#citations.add(key);
    return true;
  }
}

/**
 * The items of one answer. They are known by their place in the output: ids are no help, some servers give another with each
 * event.
 */
export class EmittedItems {
  readonly #items = new Map<string, EmittedItem>();
  #last = '';

  get size(): number {
    return this.#items.size;
  }

  /** That of an event; the last one where the event does not say. */
  of(event: JsonObject): EmittedItem {
    const { output_index: index, item_id: id } = event;
    if (typeof index === 'number') this.#last = `#${index}`;
    else if (typeof id === 'string') this.#last = id;
    return this.at(this.#last);
  }

  /** That of an event which begins an item. A server that counts all of them as one gets a new one each time. */
  begun(event: JsonObject): EmittedItem {
    const item = this.of(event);
    if (!item.closed) return item;
    this.#items.delete(this.#last);
    return this.at(this.#last);
  }

  /** @throws RangeError for more items than any answer has: each needs many times the memory of its event */
  at(key: string): EmittedItem {
    let item = this.#items.get(key);
    if (item !== undefined) return item;
    if (this.#items.size >= MAX_ITEMS) throw new RangeError(`an answer has more than ${MAX_ITEMS} items`);
    this.#items.set(key, (item = new EmittedItem()));
    return item;
  }
}
