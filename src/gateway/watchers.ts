import type { Call } from './call.ts';
import type { CompletionUpdate } from '../live/events.ts';
import type { LiveHub } from '../live/live-hub.ts';

/** Whoever follows one request live: the account's subscribers, and its own caller where it comes as events. */
export class Watchers {
  /** Where the request is now. */
  model: string;
  readonly #live: LiveHub;
  readonly #call: Call;

  constructor(live: LiveHub, call: Call, model: string) {
    this.#live = live;
    this.#call = call;
    this.model = model;
  }

  /** False where nobody looks: nothing need be parsed for them then. */
  get watching(): boolean {
    return this.#call.watch !== null || this.#live.watched(this.#call.key.accountId);
  }

  tell(update: CompletionUpdate): void {
    const { key, requestId, watch } = this.#call;
    watch?.(update);
    const saysWhat = update.type === 'delta' || update.type === 'reasoning' || update.type === 'toolCall';
    if (saysWhat && !key.liveContent) return;
    this.#live.publish({
      accountId: key.accountId,
      apiKeyId: key.id,
      requestId,
      model: this.model,
      at: Date.now(),
      update,
    });
  }
}
