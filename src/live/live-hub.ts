import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { EventRing } from './event-ring.ts';
import type { CompletionUpdate, LiveCompletion } from './events.ts';
import type { FeedItem, LiveFeed } from './feed.ts';
import { decodeEvent, encodeEvent, type LiveBus } from './live-bus.ts';
import { UpdateCoalescer, mergeUpdates } from './update-coalescer.ts';

const RING_BOUNDS = { events: 4_096, weight: 4 * 1024 * 1024 };
const RETENTION_AFTER_LAST_READER_MS = 30_000;

interface Topic {
  readonly ring: EventRing<LiveCompletion>;
  readonly updates: UpdateCoalescer<LiveCompletion>;
  readonly stopListening: () => void;
  readers: number;
  expiry: Timer | null;
}

/**
 * Live completions of this process and, through the bus, of others. An account's ring exists from its first subscriber until 30 s
 * after its last; without one, `hasSubscribers` is false and nothing is parsed or published.
 */
export class LiveHub implements LiveFeed {
  readonly #topics = new Map<string, Topic>();
  readonly #bus: LiveBus | null;
  readonly #clock: Clock;

  /** @param bus null for a single process */
  constructor(bus: LiveBus | null = null, clock: Clock = systemClock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  hasSubscribers(accountId: string): boolean {
    return (
      (this.#topics.size > 0 && this.#topics.has(accountId)) || this.#bus?.hasSubscribers(topicOf(accountId)) === true
    );
  }

  publish(event: LiveCompletion): void {
    this.#topics.get(event.accountId)?.updates.push(event);
    const topic = topicOf(event.accountId);
    if (this.#bus?.hasSubscribers(topic) === true) this.#bus.publish(topic, encodeEvent(event));
  }

  async *subscribe(
    accountId: string,
    after: string | null,
    signal: AbortSignal,
  ): AsyncIterableIterator<FeedItem<LiveCompletion>> {
    const topic = this.#addReader(accountId);
    try {
      yield* topic.ring.read(after, signal);
    } finally {
      this.#removeReader(accountId, topic);
    }
  }

  close(): void {
    for (const topic of this.#topics.values()) {
      topic.expiry?.cancel();
      topic.stopListening();
      topic.updates.flush();
      topic.ring.close();
    }
    this.#topics.clear();
  }

  #addReader(accountId: string): Topic {
    let topic = this.#topics.get(accountId);
    if (topic === undefined) {
      const ring = new EventRing<LiveCompletion>(RING_BOUNDS);
      const updates = coalescerFor(ring, this.#clock);
      const stopListening = this.#bus?.listen(topicOf(accountId), {
        onMessage: (message) => updates.push(decodeEvent<LiveCompletion>(message)),
        onLoss: () => {
          updates.flush();
          ring.markGap();
        },
      });
      topic = { ring, updates, stopListening: stopListening ?? (() => undefined), readers: 0, expiry: null };
      this.#topics.set(accountId, topic);
    }
    topic.expiry?.cancel();
    topic.expiry = null;
    topic.readers++;
    return topic;
  }

  #removeReader(accountId: string, topic: Topic): void {
    topic.readers--;
    if (topic.readers > 0) return;
    topic.expiry = this.#clock
      .setTimeout(() => {
        topic.stopListening();
        this.#topics.delete(accountId);
      }, RETENTION_AFTER_LAST_READER_MS)
      .unref();
  }
}

function topicOf(accountId: string): string {
  return `completions:${accountId}`;
}

function coalescerFor(ring: EventRing<LiveCompletion>, clock: Clock): UpdateCoalescer<LiveCompletion> {
  return new UpdateCoalescer(
    {
      ring,
      keyOf: ({ requestId }) => requestId,
      weightOf: ({ update }) => weightOf(update),
      merge: (first, second) => {
        const update = mergeUpdates(first.update, second.update);
        return update && { ...second, update };
      },
    },
    clock,
  );
}

/** Approximate size of an event in bytes. */
export function weightOf(update: CompletionUpdate): number {
  if (update.type === 'delta' || update.type === 'reasoning') return 100 + update.text.length;
  return update.type === 'toolCall' ? 100 + update.arguments.length : 200;
}
