import type { ShownEvents } from './shown-events.ts';

/** Fewer non-matching events than this are not significant. */
const MIN_OTHERS = 8;

/**
 * The common suffix of a stream's text events: `"finish_reason":null` and all that follows it. An event with this
 * suffix is no error, end or usage report, and need not be parsed.
 */
export class DeltaSuffixMatcher {
  readonly #suffix: string;
  /** The part to remove, as offsets from the end of the event; both 0 for none. */
  readonly #hideFrom: number;
  readonly #hideTo: number;
  #matching = 0;
  #others = 0;

  private constructor(suffix: string, hidden: string) {
    const at = suffix.indexOf(hidden);
    this.#suffix = suffix;
    this.#hideFrom = at < 0 || hidden === '' ? 0 : suffix.length - at;
    this.#hideTo = this.#hideFrom === 0 ? 0 : this.#hideFrom - hidden.length;
  }

  /**
   * Reads the suffix from the first event.
   * @param hidden the text to remove from each suffix; empty for none
   * @returns null for an event without the suffix, or with `hidden` elsewhere
   */
  static of(event: string, noFinish: string, hidden: string): DeltaSuffixMatcher | null {
    const at = event.lastIndexOf(noFinish);
    if (at < 0 || (hidden !== '' && event.lastIndexOf(hidden, at) >= 0)) return null;
    return new DeltaSuffixMatcher(event.slice(at), hidden);
  }

  /** False where the suffixes of the stream differ: searching for content is cheaper then. */
  get isUseful(): boolean {
    return this.#others < MIN_OTHERS || this.#others < this.#matching;
  }

  /**
   * Passes each event without the suffix to `transform` and removes the hidden part from the others. Null ends the output.
   * Edits in place: the block is not used afterwards, and joining many strings costs more.
   * @param text the block as Latin-1
   */
  relay(block: Buffer, text: string, transform: (event: string) => string | null): ShownEvents {
    const suffix = this.#suffix;
    const edit = new BlockEdit(block);
    let events = 0;
    let start = 0;
    for (let blank = text.indexOf('\n\n'); blank >= 0; blank = text.indexOf('\n\n', start)) {
      const end = blank + 2;
      events++;
      if (text.slice(end - suffix.length, end) === suffix) {
        this.#matching++;
        if (this.#hideFrom > 0) edit.cut(end - this.#hideFrom, end - this.#hideTo);
      } else {
        this.#others++;
        const event = text.slice(start, end);
        const transformed = transform(event);
        if (transformed === null) return { bytes: edit.end(start), events: events - 1 };
        if (transformed !== event) edit.replace(start, end, transformed);
        if (transformed === '') events--;
      }
      start = end;
    }
    return { bytes: edit.end(block.length), events };
  }
}

/** Removes and replaces parts of a buffer from start to end, in place as long as insertions fit. */
export class BlockEdit {
  readonly #block: Buffer;
  /** Output that did not fit into the block, in order. */
  readonly #before: Buffer[] = [];
  /** The output after `#before` occupies the block from `#from` to `#to`; input is consumed up to `#read`. */
  #from = 0;
  #to = 0;
  #read = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  /** Removes the bytes between two offsets of the block. Offsets never decrease. */
  cut(start: number, end: number): void {
    if (this.#to !== this.#read) this.#block.copyWithin(this.#to, this.#read, start);
    this.#to += start - this.#read;
    this.#read = end;
  }

  /** @param text Latin-1, replaces the bytes between the offsets */
  replace(start: number, end: number, text: string): void {
    this.cut(start, end);
    if (this.#to + text.length <= end) {
      this.#to += this.#block.write(text, this.#to, 'latin1');
      return;
    }
    this.#before.push(this.#block.subarray(this.#from, this.#to), Buffer.from(text, 'latin1'));
    this.#from = this.#to = end;
  }

  /** @returns everything up to an offset of the block; ends the edit */
  end(at: number): Buffer {
    this.cut(at, at);
    const last = this.#block.subarray(this.#from, this.#to);
    return this.#before.length === 0 ? last : Buffer.concat([...this.#before, last]);
  }
}
