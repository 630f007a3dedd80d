import { refusedReason, type FinishPart, type FinishReason } from '../../canonical/stream-part.ts';
import { stopReason } from '../stop-reason.ts';

/** Why a message ends. Source: platform.claude.com/docs/en/build-with-claude/handling-stop-reasons. */
export class MessageEnd {
  readonly #stops: ReadonlySet<string>;
  #reason: FinishReason | null = null;
  #stopSequence: string | null = null;
  #refusal = '';

  /** @param stops the request's stop sequences: servers of chats also report reasons of their own where one would be */
  constructor(stops: readonly string[]) {
    this.#stops = new Set(stops);
  }

  finish({ reason, stopSequence }: FinishPart): void {
    this.#reason = reason;
    if (stopSequence !== undefined && this.#stops.has(stopSequence)) this.#stopSequence = stopSequence;
  }

  refuse(text: string): void {
    this.#refusal += text;
  }

  /** `stop_reason`, `stop_sequence` and `stop_details`. */
  get members(): object {
    const explanation = this.#refusal;
    const reason = explanation === '' ? this.#reason : refusedReason(this.#reason);
    const isStopped = reason === 'stop' && this.#stopSequence !== null;
    const isRefused = reason === 'content_filter' && explanation !== '';
    return {
      stop_reason: isStopped ? 'stop_sequence' : stopReason(reason),
      stop_sequence: isStopped ? this.#stopSequence : null,
      stop_details: isRefused ? { type: 'refusal', category: null, explanation } : null,
    };
  }
}
