import { EventEmitter, once } from 'node:events';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { z } from 'zod';

const query = `subscription { liveCompletions { requestId event { __typename ... on CompletionDelta { text } } } }`;
const message = z.object({
  data: z.object({
    liveCompletions: z.object({
      requestId: z.string().nullish(),
      event: z.object({ __typename: z.string(), text: z.string().optional() }),
    }),
  }),
});

/** What a subscriber saw of a completion. */
export interface WatchedCompletion {
  text: string;
  /** How often it was told the end. */
  ends: number;
  /** For each time in the text, how much later it arrived, in ms. */
  readonly lateMs: number[];
}

/** A subscriber of all completions of an account, at one process. */
export class CompletionWatcher {
  readonly seen = new Map<string, WatchedCompletion>();
  gaps = 0;
  readonly #client;
  readonly #arrivals = new EventEmitter();
  readonly #watching: Promise<void>;

  constructor(url: string, apiKey: string) {
    this.#client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${apiKey}` },
      retryAttempts: 0,
    });
    this.#watching = this.#watch();
  }

  hasEnded(requestId: string): boolean {
    return (this.seen.get(requestId)?.ends ?? 0) > 0;
  }

  async whenEnded(requestId: string): Promise<WatchedCompletion> {
    while (!this.hasEnded(requestId)) await once(this.#arrivals, 'event');
    return this.#of(requestId);
  }

  async close(): Promise<void> {
    await this.#client.dispose();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    for await (const each of this.#client.iterate({ query })) {
      const now = performance.timeOrigin + performance.now();
      const { requestId, event } = message.parse(each).data.liveCompletions;
      if (event.__typename === 'EventGap') this.gaps++;
      if (requestId) {
        const completion = this.#of(requestId);
        const text = event.text ?? '';
        completion.text += text;
        if (event.__typename === 'CompletionFinished') completion.ends++;
        for (const [time] of text.matchAll(/\d{13,}\.\d+/g)) completion.lateMs.push(now - Number(time));
      }
      this.#arrivals.emit('event');
    }
  }

  #of(requestId: string): WatchedCompletion {
    const found = this.seen.get(requestId) ?? { text: '', ends: 0, lateMs: [] };
    this.seen.set(requestId, found);
    return found;
  }
}
