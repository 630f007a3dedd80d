import type { Connection } from '../../../data/graphql/connection.ts';
import type { Failure } from '../../../data/failure.ts';
import { follow } from '../../../data/graphql/hooks.ts';
import { Signal } from '../../../data/graphql/signal.ts';
import { perFrame } from '../../../data/per-frame.ts';
import { PlaygroundCompletionDocument } from '../../../generated/graphql.ts';
import { emptyAnswer, applyEvent, type Answer, type ReceivedEvent } from './answer.ts';

export interface CompletionRequest {
  /** Idempotency key: the run resumes after a dropped connection and is billed once. */
  readonly clientRequestId: string;
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One completion with its streamed response. It continues when the page is left. */
export class CompletionRun extends Signal {
  readonly clientRequestId: string;
  readonly #startedAt = performance.now();
  readonly #arriving = perFrame<ReceivedEvent>((events) =>
    this.#change(events.reduce((answer, each) => applyEvent(answer, each, this.#startedAt), this.#answer)),
  );
  readonly #unfollow: () => void;
  #answer = emptyAnswer;
  /** The last event was received, but may still wait for its frame. */
  #hasEnded = false;

  constructor(connection: Connection, input: CompletionRequest) {
    super();
    this.clientRequestId = input.clientRequestId;
    this.#unfollow = follow(
      connection,
      PlaygroundCompletionDocument,
      { input },
      {
        next: ({ completion: event }) => {
          this.#hasEnded ||= event.__typename === 'CompletionFinished' || event.__typename === 'CompletionFailed';
          this.#arriving.add({ event, at: performance.now() });
          return event.cursor;
        },
        fail: (failure) => this.#fail(failure),
      },
    );
  }

  get answer(): Answer {
    return this.#answer;
  }

  #fail(failure: Failure): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#unfollow();
    this.#change({ ...this.#answer, state: 'failed', failure });
  }

  #change(answer: Answer): void {
    this.#answer = answer;
    this.notify();
  }
}
