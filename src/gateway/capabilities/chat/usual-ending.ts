/** Fewer unusual events than this say nothing about a stream. */
const FEW_EVENTS = 8;

/**
 * How those events of a stream end that bring nothing but text: with `"finish_reason":null` and what follows it, the same each
 * time. An event that ends so is no error, no end and no usage report, and need not be parsed to know that.
 */
export class UsualEnding {
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
  static of(event: string, noFinish: string, hidden: string): UsualEnding | null {
    const at = event.lastIndexOf(noFinish);
    if (at < 0 || (hidden !== '' && event.lastIndexOf(hidden, at) >= 0)) return null;
    return new UsualEnding(event.slice(at), hidden);
  }

  /** False where the events of the stream differ in their endings: looking for what they hold is cheaper then. */
  get holds(): boolean {
    return this.#unusual < FEW_EVENTS || this.#unusual < this.#usual;
  }

  /** Passes each event that ends otherwise through `treat`, and hides what is to be hidden in the others. Null ends the stream. */
  relay(text: string, treat: (event: string) => string | null): string {
    const ending = this.#ending;
    let shown = '';
    let copied = 0;
    let start = 0;
    for (let blank = text.indexOf('\n\n'); blank >= 0; blank = text.indexOf('\n\n', start)) {
      const end = blank + 2;
      if (text.slice(end - ending.length, end) === ending) {
        this.#usual++;
        if (this.#hideFrom > 0) {
          shown += text.slice(copied, end - this.#hideFrom);
          copied = end - this.#hideTo;
        }
      } else {
        this.#unusual++;
        const treated = treat(text.slice(start, end));
        shown += text.slice(copied, start);
        if (treated === null) return shown;
        shown += treated;
        copied = end;
      }
      start = end;
    }
    return copied === 0 ? text : shown + text.slice(copied);
  }
}
