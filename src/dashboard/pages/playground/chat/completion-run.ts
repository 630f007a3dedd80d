import type { Connection } from '../../../data/graphql/connection.ts';
import type { Failure } from '../../../data/failure.ts';
import { subscribe } from '../../../data/graphql/hooks.ts';
import { Signal } from '../../../data/graphql/signal.ts';
import { batchPerFrame } from '../../../data/frame-batch.ts';
import { PlaygroundCompletionDocument } from '../../../generated/graphql.ts';
import { emptyCompletion, applyEvent, type Completion, type ReceivedEvent } from './completion.ts';

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
  readonly #events = batchPerFrame<ReceivedEvent>((events) =>
    this.#change(events.reduce((completion, each) => applyEvent(completion, each, this.#startedAt), this.#completion)),
  );
  readonly #unsubscribe: () => void;
  #completion = emptyCompletion;
  /** The last event was received, but may still wait for its frame. */
  #hasEnded = false;

  constructor(connection: Connection, input: CompletionRequest) {
    super();
    this.clientRequestId = input.clientRequestId;
    this.#unsubscribe = subscribe(
      connection,
      PlaygroundCompletionDocument,
      { input },
      {
        next: ({ completion: event }) => {
          this.#hasEnded ||= event.__typename === 'CompletionFinished' || event.__typename === 'CompletionFailed';
          this.#events.add({ event, at: performance.now() });
          return event.cursor;
        },
        onFailure: (failure) => this.#fail(failure),
      },
    );
  }

  get completion(): Completion {
    return this.#completion;
  }

  #fail(failure: Failure): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#unsubscribe();
    this.#change({ ...this.#completion, state: 'failed', failure });
  }

  #change(completion: Completion): void {
    this.#completion = completion;
    this.notify();
  }
}
