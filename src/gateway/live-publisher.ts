import type { CompletionUpdate } from '../live/events.ts';
import type { Call, ExchangeParts } from './call.ts';

/** Whoever follows one request live: the account's subscribers, and its own caller where it comes as events. */
export class LivePublisher {
  /** Where the request is now. */
  model: string;
  readonly #parts: ExchangeParts;
  readonly #call: Call;

  constructor(parts: ExchangeParts, call: Call, model: string) {
    this.#parts = parts;
    this.#call = call;
    this.model = model;
  }

  /** False where nobody looks: nothing need be parsed for them then. */
  get isWatched(): boolean {
    return this.#call.watch !== null || this.#parts.live.watched(this.#call.key.accountId);
  }

  publish(update: CompletionUpdate): void {
    const { key, requestId, watch } = this.#call;
    watch?.(update);
    const saysWhat = update.type === 'delta' || update.type === 'reasoning' || update.type === 'toolCall';
    if (saysWhat && !key.liveContent) return;
    this.#parts.live.publish({
      accountId: key.accountId,
      apiKeyId: key.id,
      requestId,
      model: this.model,
      at: this.#parts.clock.now(),
      update,
    });
  }
}
