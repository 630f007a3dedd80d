import type { BusSender, TopicEvent } from './bus-messages.ts';

/** In memory for a process that reads too slowly. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
/** Of an event besides its text. */
const OVERHEAD_BYTES = 64;

type Outgoing<Type> =
  | readonly [type: Type, ...events: readonly TopicEvent[]]
  | readonly [type: 'lost', ...topics: readonly string[]];

/**
 * Sends events to one process, those of one turn of the event loop in one message. While it reads too slowly, events are omitted:
 * those of topics that use more than their share, since each topic is of one account and no account may have the events of others
 * omitted. When it has caught up with a topic, it learns of the loss, and later events are sent again.
 */
export class BoundedSender<Type extends 'publish' | 'events'> {
  readonly #type: Type;
  readonly #sender: BusSender<Outgoing<Type>>;
  readonly #maxBytes: number;
  /** Topics with omitted events that the process does not know of. */
  readonly #lost = new Set<string>();
  /** Bytes that the process has not read, by topic. */
  readonly #pending = new Map<string, number>();
  #pendingBytes = 0;
  #waiting: TopicEvent[] = [];
  #isScheduled = false;

  constructor(type: Type, sender: BusSender<Outgoing<Type>>, maxBytes = MAX_UNSENT_BYTES) {
    this.#type = type;
    this.#sender = sender;
    this.#maxBytes = maxBytes;
  }

  send(event: TopicEvent): void {
    const [topic] = event;
    const bytes = bytesOf(event);
    const pending = this.#pending.get(topic) ?? 0;
    if (this.#lost.has(topic) || (pending > 0 && !this.#hasRoom(pending, bytes))) return void this.#lost.add(topic);
    this.#pending.set(topic, pending + bytes);
    this.#pendingBytes += bytes;
    this.#waiting.push(event);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Events of a topic were lost before they reached this process. */
  omitted(topic: string): void {
    this.#lost.add(topic);
    this.#reportLost([topic]);
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#sender.post([this.#type, ...events], () => this.#sent(events));
  }

  /** With n topics, all of them together have at most 1 + 1/2 + … + 1/n times the bound. */
  #hasRoom(pending: number, bytes: number): boolean {
    return (
      this.#pendingBytes + bytes <= this.#maxBytes ||
      pending + bytes <= this.#maxBytes / Math.max(1, this.#pending.size)
    );
  }

  #sent(events: readonly TopicEvent[]): void {
    const emptied: string[] = [];
    for (const event of events) {
      const [topic] = event;
      const bytes = bytesOf(event);
      const left = (this.#pending.get(topic) ?? 0) - bytes;
      this.#pendingBytes -= bytes;
      if (left > 0) this.#pending.set(topic, left);
      else {
        this.#pending.delete(topic);
        emptied.push(topic);
      }
    }
    this.#reportLost(emptied);
  }

  #reportLost(topics: readonly string[]): void {
    const lost = topics.filter((topic) => !this.#pending.has(topic) && this.#lost.delete(topic));
    if (lost.length > 0) this.#sender.post(['lost', ...lost], () => undefined);
  }
}

function bytesOf([topic, message]: TopicEvent): number {
  return OVERHEAD_BYTES + topic.length + message.length;
}
