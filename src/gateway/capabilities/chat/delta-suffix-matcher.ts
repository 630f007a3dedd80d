import { BlockEdit } from './block-edit.ts';

/** Fewer unusual events than this say nothing about a stream. */
const FEW_EVENTS = 8;

/** What of a block goes to the caller, and how many events that is. */
export interface ShownEvents {
  readonly bytes: Buffer;
  readonly events: number;
}

/**
 * How those events of a stream end that bring nothing but text: with `"finish_reason":null` and what follows it, the same each
 * time. An event that ends so is no error, no end and no usage report, and need not be parsed to know that.
 */
export class DeltaSuffixMatcher {
  readonly #ending: string;
  /** What is left out of each, counted from the event's end; both 0 for nothing. */
  readonly #hideFrom: number;
  readonly #hideTo: number;
  #usual = 0;
  #unusual = 0;

  private constructor(ending: string, hidden: string) {
    const at = ending.indexOf(hidden);
    this.#ending = ending;
    this.#hideFrom = at < 0 || hidden === '' ? 0 : ending.length - at;
    this.#hideTo = this.#hideFrom === 0 ? 0 : this.#hideFrom - hidden.length;
  }

  /**
   * Learns it from the first event.
   * @param hidden what the caller is not shown of each ending; empty for nothing
   * @returns null for an event that does not show it, or holds what is to be hidden elsewhere
   */
  static of(event: string, noFinish: string, hidden: string): DeltaSuffixMatcher | null {
    const at = event.lastIndexOf(noFinish);
    if (at < 0 || (hidden !== '' && event.lastIndexOf(hidden, at) >= 0)) return null;
    return new DeltaSuffixMatcher(event.slice(at), hidden);
  }

  /** False where the events of the stream differ in their endings: looking for what they hold is cheaper then. */
  get holds(): boolean {
    return this.#unusual < FEW_EVENTS || this.#unusual < this.#usual;
  }

  /**
   * Passes each event that ends otherwise through `treat`, and cuts what is to be hidden out of the others. Null ends the stream.
   * Works in place: the block that came is not needed any more, and to join a string of a hundred pieces costs more.
   * @param text the block as Latin-1
   */
  relay(block: Buffer, text: string, treat: (event: string) => string | null): ShownEvents {
    const ending = this.#ending;
    const edit = new BlockEdit(block);
    let events = 0;
    let start = 0;
    for (let blank = text.indexOf('\n\n'); blank >= 0; blank = text.indexOf('\n\n', start)) {
      const end = blank + 2;
      events++;
      if (text.slice(end - ending.length, end) === ending) {
        this.#usual++;
        if (this.#hideFrom > 0) edit.cut(end - this.#hideFrom, end - this.#hideTo);
      } else {
        this.#unusual++;
        const event = text.slice(start, end);
        const treated = treat(event);
        if (treated === null) return { bytes: edit.end(start), events: events - 1 };
        if (treated !== event) edit.replace(start, end, treated);
        if (treated === '') events--;
      }
      start = end;
    }
    return { bytes: edit.end(block.length), events };
  }
}
