import type { BusSender, TopicEvent } from './bus-messages.ts';

/** In memory for a process that reads too slowly. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
/** Of an event besides its text. */
const OVERHEAD_BYTES = 64;

type Outgoing<Type> =
  | readonly [type: Type, ...events: readonly TopicEvent[]]
  | readonly [type: 'lost', ...topics: readonly string[]];

/**
 * Sends events to one process, those of one turn of the event loop in one message. While it reads too slowly, events are omitted.
 * When it has caught up, it learns of which topics, and later events are sent again.
 */
export class BoundedSender<Type extends 'publish' | 'events'> {
  readonly #type: Type;
  readonly #sender: BusSender<Outgoing<Type>>;
  readonly #maxBytes: number;
  readonly #lost = new Set<string>();
  #waiting: TopicEvent[] = [];
  #waitingBytes = 0;
  #unsentBytes = 0;
  #isScheduled = false;

  constructor(type: Type, sender: BusSender<Outgoing<Type>>, maxBytes = MAX_UNSENT_BYTES) {
    this.#type = type;
    this.#sender = sender;
    this.#maxBytes = maxBytes;
  }

  send(event: TopicEvent): void {
    const bytes = OVERHEAD_BYTES + event[0].length + event[1].length;
    const pending = this.#unsentBytes + this.#waitingBytes;
    if (this.#lost.size > 0 || (pending > 0 && pending + bytes > this.#maxBytes)) return void this.#lost.add(event[0]);
    this.#waiting.push(event);
    this.#waitingBytes += bytes;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Events of a topic were lost before they reached this process. */
  omitted(topic: string): void {
    this.#lost.add(topic);
    this.#reportLost();
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#waiting.length === 0) return;
    const [events, bytes] = [this.#waiting, this.#waitingBytes];
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#unsentBytes += bytes;
    this.#sender.post([this.#type, ...events], () => {
      this.#unsentBytes -= bytes;
      this.#reportLost();
    });
  }

  #reportLost(): void {
    if (this.#lost.size === 0 || this.#unsentBytes + this.#waitingBytes > 0) return;
    const topics = [...this.#lost];
    this.#lost.clear();
    this.#sender.post(['lost', ...topics], () => undefined);
  }
}
