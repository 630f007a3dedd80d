import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { EventRing } from './event-ring.ts';
import type { CompletionUpdate, LiveCompletion } from './events.ts';
import type { FeedItem, LiveFeed } from './feed.ts';
import { readEvent, writeEvent, type LiveBus } from './live-bus.ts';
import { JoinedUpdates, joinUpdates } from './joined-updates.ts';

const RING = { events: 4_096, weight: 4 * 1024 * 1024 };
const KEPT_AFTER_LAST_READER_MS = 30_000;

interface Topic {
  readonly ring: EventRing<LiveCompletion>;
  readonly updates: JoinedUpdates<LiveCompletion>;
  readonly stopListening: () => void;
  readers: number;
  forget: Timer | null;
}

/**
 * Live completions of this process, and over the bus of others. An account's ring exists from its first subscriber until 30 s after its last;
 * without one, `watched` is false and nothing is parsed or published.
 */
export class LiveHub implements LiveFeed {
  readonly #topics = new Map<string, Topic>();
  readonly #bus: LiveBus | null;
  readonly #clock: Clock;

  /** @param bus null where there is one process */
  constructor(bus: LiveBus | null = null, clock: Clock = systemClock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  watched(accountId: string): boolean {
    return (this.#topics.size > 0 && this.#topics.has(accountId)) || this.#bus?.wanted(nameOf(accountId)) === true;
  }

  publish(event: LiveCompletion): void {
    this.#topics.get(event.accountId)?.updates.push(event);
    const topic = nameOf(event.accountId);
    if (this.#bus?.wanted(topic) === true) this.#bus.publish(topic, writeEvent(event));
  }

  async *subscribe(
    accountId: string,
    after: string | null,
    signal: AbortSignal,
  ): AsyncIterableIterator<FeedItem<LiveCompletion>> {
    const topic = this.#open(accountId);
    try {
      yield* topic.ring.read(after, signal);
    } finally {
      this.#leave(accountId, topic);
    }
  }

  close(): void {
    for (const topic of this.#topics.values()) {
      topic.forget?.cancel();
      topic.stopListening();
      topic.updates.flush();
      topic.ring.close();
    }
    this.#topics.clear();
  }

  #open(accountId: string): Topic {
    let topic = this.#topics.get(accountId);
    if (topic === undefined) {
      const ring = new EventRing<LiveCompletion>(RING);
      const updates = joined(ring, this.#clock);
      const stopListening = this.#bus?.listen(nameOf(accountId), {
        heard: (message) => updates.push(readEvent<LiveCompletion>(message)),
        lost: () => {
          updates.flush();
          ring.lose();
        },
      });
      topic = { ring, updates, stopListening: stopListening ?? (() => undefined), readers: 0, forget: null };
      this.#topics.set(accountId, topic);
    }
    topic.forget?.cancel();
    topic.forget = null;
    topic.readers++;
    return topic;
  }

  #leave(accountId: string, topic: Topic): void {
    topic.readers--;
    if (topic.readers > 0) return;
    topic.forget = this.#clock
      .setTimeout(() => {
        topic.stopListening();
        this.#topics.delete(accountId);
      }, KEPT_AFTER_LAST_READER_MS)
      .unref();
  }
}

function nameOf(accountId: string): string {
  return `completions:${accountId}`;
}

function joined(ring: EventRing<LiveCompletion>, clock: Clock): JoinedUpdates<LiveCompletion> {
  return new JoinedUpdates(
    {
      ring,
      nameOf: ({ requestId }) => requestId,
      weightOf: ({ update }) => weightOf(update),
      join: (first, second) => {
        const update = joinUpdates(first.update, second.update);
        return update && { ...second, update };
      },
    },
    clock,
  );
}

/** About the bytes that an event holds. */
export function weightOf(update: CompletionUpdate): number {
  if (update.type === 'delta' || update.type === 'reasoning') return 100 + update.text.length;
  return update.type === 'toolCall' ? 100 + update.arguments.length : 200;
}
