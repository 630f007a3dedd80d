import type { Clock } from '../../calendar/clock.ts';
import type { StreamPart } from '../../protocols/canonical/stream-part.ts';
import { encodeResponse } from '../../protocols/chat-completions/encode-response.ts';
import { ChatCompletionsStreamEncoder, DONE_EVENT } from '../../protocols/chat-completions/encode-stream.ts';
import { usageObject } from '../../protocols/canonical/usage.ts';
import type { Connection, Send, UpstreamReceiver } from '../../providers/contract.ts';
import type { Target } from '../routing/target.ts';
import { TargetHealth } from '../routing/health/target-health.ts';
import type { CachedAnswer, ResponseCache } from './response-cache.ts';
import { ReceivedBytes } from '../received-output.ts';
import type { CompleteOutput } from '../relayed-output.ts';
import { jsonMembers } from '../../protocols/canonical/json-members.ts';

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The response cache as one request uses it. */
export class CacheUse {
  /** A target that replays the cached response, free of charge; null on a miss. */
  hit: Target | null = null;
  readonly #cache: ResponseCache;
  readonly #key: string;
  readonly #ttlMs: number;
  readonly #clock: Clock;
  #recorded: ReceivedBytes | null = null;
  #encoder: ChatCompletionsStreamEncoder | null = null;

  constructor(cache: ResponseCache, key: string, ttlMs: number, clock: Clock) {
    this.#cache = cache;
    this.#key = key;
    this.#ttlMs = ttlMs;
    this.#clock = clock;
  }

  /** Sets `hit`. @returns a promise where the cache is outside this process */
  lookUp(): void | Promise<void> {
    const found = this.#cache.get(this.#key);
    if (found instanceof Promise) return found.then((answer) => this.#setHit(answer));
    this.#setHit(found);
  }

  /** Starts an attempt and discards the bytes of an earlier one. */
  startRecording(): void {
    this.#recorded = this.hit === null ? new ReceivedBytes() : null;
    this.#encoder = null;
  }

  /** Bytes from the provider. Copied, because the relay may write into them. */
  append(bytes: Buffer): void {
    if (this.#recorded !== null) this.#record(Buffer.from(bytes));
  }

  /** Parts from the provider, stored in OpenAI's wire format with their usage, whether this request wants it or not. */
  appendParts(parts: readonly StreamPart[]): void {
    if (this.#recorded === null) return;
    const encoder = (this.#encoder ??= new ChatCompletionsStreamEncoder(true));
    let events = '';
    for (const part of parts) {
      events += encoder.encode(part);
      if (part.type === 'usage') events += encoder.usageEvent(usageObject(part.usage));
      else if (part.type === 'end') events += DONE_EVENT;
    }
    this.#record(Buffer.from(events));
  }

  /** The output of a result from the provider, stored in OpenAI's wire format. */
  appendComplete(output: CompleteOutput): void {
    if (Buffer.isBuffer(output)) this.append(output);
    else if (this.#recorded !== null) this.#record(encodeResponse(output));
  }

  #record(bytes: Buffer): void {
    if (this.#recorded === null) return;
    this.#recorded.push(bytes);
    if (this.#recorded.length > MAX_ANSWER_BYTES) this.#recorded = null;
  }

  /** Stores the complete response. @param costOf what it costs, in nano-USD */
  store({ model, connection: { provider } }: Target, dropped: readonly string[], costOf: () => bigint): void {
    const body = this.#recorded?.take();
    if (body === undefined) return;
    const answer = { model, provider, dropped, keptAt: this.#clock.now(), costNano: costOf(), body };
    this.#cache.set(this.#key, answer, this.#ttlMs);
  }

  /** The entry may have been stored with a longer lifetime than this request accepts. */
  #setHit(answer: CachedAnswer | undefined): void {
    if (answer !== undefined && this.#clock.now() - answer.keptAt < this.#ttlMs) this.hit = replayTarget(answer);
  }
}

function replayTarget(answer: CachedAnswer): Target {
  const { model, provider, costNano } = answer;
  return {
    connection: replayConnection(answer),
    model,
    upstreamModel: model,
    maxOutputTokens: null,
    isUnpriced: false,
    rates: null,
    ratesByTier: null,
    cachedCostNano: costNano,
    servedAs: () => null,
    health: new TargetHealth(),
    modelJson: JSON.stringify(model),
    usageMembers: jsonMembers({ model, provider, price_version: 'cached', rates: null }),
    attemptMembers: jsonMembers({ provider: 'cache', model }),
  };
}

/** Replays the response in a later turn, as a socket would. */
function replayConnection({ provider, dropped, body }: CachedAnswer): Connection {
  const send: Send<unknown> = ({ stream }, receiver) => {
    let aborted = false;
    receiver.onConnecting({ pause: () => undefined, resume: () => undefined, abort: () => void (aborted = true) });
    setImmediate(() => {
      if (!aborted) replay(body, stream, receiver);
    });
    return dropped;
  };
  return {
    id: 'cache',
    provider,
    billed: false,
    chat: send,
    services: { embeddings: send, moderation: send, rerank: send },
    listModels: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
}

function replay(body: Buffer, stream: boolean, receiver: UpstreamReceiver): void {
  receiver.onHead(200, { 'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json' });
  // A copy, because the relay may write into it.
  receiver.onData(Buffer.from(body));
  receiver.onEnd();
}
