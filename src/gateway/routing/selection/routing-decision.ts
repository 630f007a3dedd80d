import { jsonMembers } from '../../../protocols/canonical/json-members.ts';
import type { TargetOrder } from '../resolved-route.ts';
import type { Target } from '../target.ts';

/** What put a route's targets in order: its configured order, the end user's target, or the one that holds the conversation. */
export type OrderedBy = TargetOrder | 'sticky' | 'conversation';

/**
 * Why a target was skipped: the key or the plan may not use or pay for it, or it failed or was limited recently and others
 * went first.
 */
export type SkipReason = 'not_allowed' | 'cooling_down';

/** Maximum targets named in a usage record. */
const MAX_SKIPPED = 16;

/** How the targets of a request were selected, where its route has several. */
export class RoutingDecision {
  readonly #orderedBy: OrderedBy;
  readonly #skipped = new Map<Target, SkipReason>();

  constructor(orderedBy: OrderedBy) {
    this.#orderedBy = orderedBy;
  }

  skip(target: Target, reason: SkipReason): void {
    this.#skipped.set(target, reason);
  }

  /** A target that was tried after all is an attempt. */
  onTried(target: Target): void {
    this.#skipped.delete(target);
  }

  /** A RecordedRouting in JSON. */
  get json(): string {
    const skipped = [...this.#skipped]
      .slice(0, MAX_SKIPPED)
      .map(([{ model, connection }, reason]) => ({ provider: connection.provider, model, reason }));
    return `{${jsonMembers({ ordered_by: this.#orderedBy, ...(skipped.length > 0 && { skipped }) })}}`;
  }
}

/** In a usage record. */
export interface RecordedRouting {
  readonly ordered_by: OrderedBy;
  /** Missing for none. */
  readonly skipped?: readonly { readonly provider: string; readonly model: string; readonly reason: SkipReason }[];
}
