import type { SluiceError } from '../../../../errors/index.ts';
import type { TokenUsage } from '../../capability.ts';
import { StreamUsage } from './stream-usage.ts';

/** What the pipeline knows of the stream of a chat, in whatever form it is relayed. */
export abstract class ObservedStream {
  readonly contentType = 'text/event-stream; charset=utf-8';
  done = false;
  failure: SluiceError | null = null;
  protected readonly observed: StreamUsage;

  constructor(observed = new StreamUsage()) {
    this.observed = observed;
  }

  get finishReason(): string | null {
    return this.observed.finishReason;
  }

  get isComplete(): boolean {
    return this.observed.finishReason !== null;
  }

  get usage(): TokenUsage | null {
    return this.observed.current;
  }

  get isUsageEstimated(): boolean {
    return this.observed.isEstimated;
  }

  get estimatedOutputTokens(): number {
    return this.observed.estimatedOutputTokens;
  }
}
