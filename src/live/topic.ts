import { EventRing } from './event-ring.ts';
import type { FeedItem } from './feed.ts';
import { decodeEvent, encodeEvent, type LiveBus } from './live-bus.ts';

const RING_BOUNDS = { events: 256, weight: 256 };

interface Channel<T> {
  readonly ring: EventRing<T>;
  readonly stopListening: () => void;
  readers: number;
}

export interface TopicOptions {
  /** Prefix of its bus topics; without a space. */
  readonly kind: string;
  readonly bus: LiveBus | null;
}

/**
 * Events by name for current subscribers, in this process and, through the bus, in others. Events without a subscriber are not
 * stored.
 */
export class Topic<T> {
  readonly #channels = new Map<string, Channel<T>>();
  readonly #options: TopicOptions | null;

  /** @param options null for a topic within this process */
  constructor(options: TopicOptions | null = null) {
    this.#options = options;
  }

  publish(name: string, event: T): void {
    this.#channels.get(name)?.ring.push(event, 1);
    const { bus, kind } = this.#options ?? {};
    const topic = `${kind}:${name}`;
    if (bus?.hasSubscribers(topic) === true) bus.publish(topic, encodeEvent(event));
  }

  /** Events from this call on; ends when `signal` aborts or the topic is closed. A slow reader misses events. */
  subscribe(name: string, signal: AbortSignal): AsyncIterableIterator<T> {
    const channel = this.#channels.get(name) ?? this.#open(name);
    this.#channels.set(name, channel);
    channel.readers++;
    signal.addEventListener('abort', () => this.#removeReader(name, channel), { once: true });
    return events(channel.ring.read(channel.ring.end, signal));
  }

  close(): void {
    for (const { ring, stopListening } of this.#channels.values()) {
      stopListening();
      ring.close();
    }
    this.#channels.clear();
  }

  #open(name: string): Channel<T> {
    const ring = new EventRing<T>(RING_BOUNDS);
    const { bus, kind } = this.#options ?? {};
    const stopListening = bus?.listen(`${kind}:${name}`, {
      onMessage: (message) => ring.push(decodeEvent<T>(message), 1),
      onLoss: () => ring.markGap(),
    });
    return { ring, stopListening: stopListening ?? (() => undefined), readers: 0 };
  }

  #removeReader(name: string, channel: Channel<T>): void {
    channel.readers--;
    if (channel.readers > 0 || this.#channels.get(name) !== channel) return;
    channel.stopListening();
    this.#channels.delete(name);
  }
}

async function* events<T>(items: AsyncIterable<FeedItem<T>>): AsyncIterableIterator<T> {
  for await (const item of items) if (item.type === 'event') yield item.event;
}
