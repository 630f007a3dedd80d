import type { RequestOutcome } from '../usage/usage-record.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { Call, RequestDependencies } from '../call.ts';
import type { ParsedResponse } from '../capabilities/capability.ts';

/**
 * Publishes updates of one request to the account's live subscribers, and to its own client where that reads events.
 */
export class LivePublisher {
  /** The current model. */
  model: string;
  readonly #dependencies: RequestDependencies;
  readonly #call: Call;

  constructor(dependencies: RequestDependencies, call: Call, model: string) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.model = model;
  }

  /** Whether there is a subscriber; otherwise responses need not be parsed. */
  get isWatched(): boolean {
    return this.#call.watch !== null || this.#dependencies.live.hasSubscribers(this.#call.key.accountId);
  }

  publish(update: CompletionUpdate): void {
    const { key, requestId, watch } = this.#call;
    watch?.(update);
    const saysWhat = update.type === 'delta' || update.type === 'reasoning' || update.type === 'toolCall';
    if (saysWhat && !key.liveContent) return;
    this.#dependencies.live.publish({
      accountId: key.accountId,
      apiKeyId: key.id,
      requestId,
      model: this.model,
      at: this.#dependencies.clock.now(),
      update,
    });
  }
}

/** Publishes an unstreamed response as updates. */
export function publishResponse(publisher: LivePublisher, response: ParsedResponse): void {
  if (publisher.isWatched) for (const update of response.updates()) publisher.publish(update);
}

/** The final update for live subscribers. */
export function lastUpdate(
  { status, error, usage, cost, estimated, finishReason }: RequestOutcome,
  durationMs: number,
  firstTokenMs: number | null,
): CompletionUpdate {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage;
  const used = { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated, costNano: cost };
  if (status === 'succeeded') return { type: 'finished', finishReason, ...used, durationMs, firstTokenMs };
  return {
    type: 'failed',
    code: error?.code ?? 'aborted',
    message: error?.message ?? 'The client disconnected.',
    aborted: status === 'aborted',
    used,
  };
}
