import { EventRing } from './event-ring.ts';
import type { CompletionUpdate, LiveCompletion } from './events.ts';
import type { FeedItem, LiveFeed } from './feed.ts';

const RING = { events: 4_096, weight: 4 * 1024 * 1024 };
const KEPT_AFTER_LAST_READER_MS = 30_000;

interface Topic {
  readonly ring: EventRing<LiveCompletion>;
  readers: number;
  forget: NodeJS.Timeout | null;
}

/**
 * Live completions in this process. An account's ring exists from its first subscriber until 30 s after its last;
 * without one, `watched` is false and nothing is parsed or published.
 */
export class LiveHub implements LiveFeed {
  readonly #topics = new Map<string, Topic>();

  watched(accountId: string): boolean {
    return this.#topics.size > 0 && this.#topics.has(accountId);
  }

  publish(event: LiveCompletion): void {
    this.#topics.get(event.accountId)?.ring.push(event, weightOf(event.update));
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
      if (topic.forget) clearTimeout(topic.forget);
      topic.ring.close();
    }
    this.#topics.clear();
  }

  #open(accountId: string): Topic {
    let topic = this.#topics.get(accountId);
    if (topic === undefined) {
      topic = { ring: new EventRing(RING), readers: 0, forget: null };
      this.#topics.set(accountId, topic);
    }
    if (topic.forget) clearTimeout(topic.forget);
    topic.forget = null;
    topic.readers++;
    return topic;
  }

  #leave(accountId: string, topic: Topic): void {
    topic.readers--;
    if (topic.readers > 0) return;
    topic.forget = setTimeout(() => this.#topics.delete(accountId), KEPT_AFTER_LAST_READER_MS).unref();
  }
}

/** About the bytes that an event holds. */
export function weightOf(update: CompletionUpdate): number {
  if (update.type === 'delta' || update.type === 'reasoning') return 100 + update.text.length;
  return update.type === 'toolCall' ? 100 + update.arguments.length : 200;
}
