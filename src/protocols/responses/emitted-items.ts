import type { JsonObject } from '../canonical/json-members.ts';

const MAX_ITEMS = 10_000;

/** The state of one output item: its texts arrive in deltas, and then complete once or several times. */
export class EmittedItem {
  /** The index of the call in the output; null before it is written, and for other items. */
  call: number | null = null;
  /** Whether the complete item is written. */
  closed = false;
  /** The number of content characters before each of its parts: citations count within their part. */
  readonly starts = new Map<number, number>();
  readonly #texts = new Map<string, string>();
  readonly #citations = new Set<string>();

  /** Whether nothing of the text is written yet. */
  isNew(part: string): boolean {
    return !this.#texts.has(part);
  }

  /** Records a delta as written. */
  add(part: string, piece: string): void {
    this.#texts.set(part, (this.#texts.get(part) ?? '') + piece);
  }

  /** The rest of a complete text; empty if it differs from its deltas. */
  rest(part: string, complete: string): string {
    const emitted = this.#texts.get(part) ?? '';
    return complete.startsWith(emitted) ? complete.slice(emitted.length) : '';
  }

  /** @returns whether the citation is new; events count them from 0 within their part */
  cites(part: string, index: number): boolean {
    const key = `${part}:${index}`;
    if (this.#citations.has(key)) return false;
    this.#citations.add(key);
    return true;
  }
}

/** The items of one response, by their index in the output: some servers use another id in each event. */
export class EmittedItems {
  readonly #items = new Map<string, EmittedItem>();
  #last = '';

  get size(): number {
    return this.#items.size;
  }

  /** The item of an event; the last one if the event has no index. */
  of(event: JsonObject): EmittedItem {
    const { output_index: index, item_id: id } = event;
    if (typeof index === 'number') this.#last = `#${index}`;
    else if (typeof id === 'string') this.#last = id;
    return this.at(this.#last);
  }

  /** The item that an event starts. A server that uses one index for all items gets a new item each time. */
  start(event: JsonObject): EmittedItem {
    const item = this.of(event);
    if (!item.closed) return item;
    this.#items.delete(this.#last);
    return this.at(this.#last);
  }

  /** @throws RangeError for more items than any response has: each needs many times the memory of its event */
  at(key: string): EmittedItem {
    let item = this.#items.get(key);
    if (item !== undefined) return item;
    if (this.#items.size >= MAX_ITEMS) throw new RangeError(`an answer has more than ${MAX_ITEMS} items`);
    this.#items.set(key, (item = new EmittedItem()));
    return item;
  }
}
