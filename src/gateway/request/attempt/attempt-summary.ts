import type { StreamRelay } from '../../capabilities/capability.ts';
import type { Target } from '../../routing/target.ts';

/** An attempt, as the head of its response describes it. */
export interface AttemptSummary {
  readonly target: Target;
  /** Parameters that were not sent to the provider. */
  readonly dropped: readonly string[];
  /** Null before a streamed response starts, and for an unstreamed one. */
  readonly stream: StreamRelay | null;
}
