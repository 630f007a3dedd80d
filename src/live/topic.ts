import { EventRing } from './event-ring.ts';
import type { FeedItem } from './feed.ts';
import { readEvent, writeEvent, type LiveBus } from './live-bus.ts';

const RING = { events: 256, weight: 256 };

interface Audience<T> {
  readonly ring: EventRing<T>;
  readonly stopListening: () => void;
  readers: number;
}

export interface TopicOptions {
  /** What its events are called among those of all kinds; without a space. */
  readonly kind: string;
  readonly bus: LiveBus | null;
}

/**
 * Events of a name for those who listen at that moment: in this process, and over the bus in others. Keeps nothing for a name
 * that nobody listens to.
 */
export class Topic<T> {
  readonly #audiences = new Map<string, Audience<T>>();
  readonly #options: TopicOptions | null;

  /** @param options absent where it stays in this process */
  constructor(options: TopicOptions | null = null) {
    this.#options = options;
  }

  publish(name: string, event: T): void {
    this.#audiences.get(name)?.ring.push(event, 1);
    const { bus, kind } = this.#options ?? {};
    const topic = `${kind}:${name}`;
    if (bus?.wanted(topic) === true) bus.publish(topic, writeEvent(event));
  }

  /** Events from this call on; ends when `signal` aborts, or the topic is closed. One who reads too slowly misses some. */
  subscribe(name: string, signal: AbortSignal): AsyncIterableIterator<T> {
    const audience = this.#audiences.get(name) ?? this.#open(name);
    this.#audiences.set(name, audience);
    audience.readers++;
    signal.addEventListener('abort', () => this.#leave(name, audience), { once: true });
    return events(audience.ring.read(audience.ring.end, signal));
  }

  close(): void {
    for (const { ring, stopListening } of this.#audiences.values()) {
      stopListening();
      ring.close();
    }
    this.#audiences.clear();
  }

  #open(name: string): Audience<T> {
    const ring = new EventRing<T>(RING);
    const { bus, kind } = this.#options ?? {};
    const stopListening = bus?.listen(`${kind}:${name}`, {
      heard: (message) => ring.push(readEvent<T>(message), 1),
      lost: () => ring.lose(),
    });
    return { ring, stopListening: stopListening ?? (() => undefined), readers: 0 };
  }

  #leave(name: string, audience: Audience<T>): void {
    audience.readers--;
    if (audience.readers > 0 || this.#audiences.get(name) !== audience) return;
    audience.stopListening();
    this.#audiences.delete(name);
  }
}

async function* events<T>(items: AsyncIterable<FeedItem<T>>): AsyncIterableIterator<T> {
  for await (const item of items) if (item.type === 'event') yield item.event;
}
