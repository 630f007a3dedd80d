import type { CompletionUpdate } from '../../live/events.ts';
import type { RelayedOutput } from '../relayed-output.ts';

/** Where moderated output goes. */
export interface GateOutput {
  /** Sends output to the client. @returns false when the client reads slowly */
  show(output: RelayedOutput): boolean;
  /** Pauses the provider until `resume`. */
  pause(): void;
  resume(): void;
}

/** Receives the updates of a response, while somebody subscribes to them. */
export interface UpdatePublisher {
  readonly isWatched: boolean;
  publish(update: CompletionUpdate): void;
}
