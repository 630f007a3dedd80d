import type { Clock } from '../../calendar/clock.ts';
import { fullState, refill, type LimitState } from '../../gateway/limits/limit-state.ts';
import type { LimitBound, RateLimitView } from '../../gateway/limits/limit-store.ts';
import { viewOf } from '../../gateway/limits/limit-view.ts';
import { setBounded } from '../../gateway/routing/set-bounded.ts';
import type { ScriptReply } from './script-steps.ts';

const MAX_VIEWS = 100_000;

/** The last known levels of limits, by the replies of Redis. */
export class LimitViews {
  readonly #states = new Map<string, LimitState>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(bounds: readonly LimitBound[]): RateLimitView {
    const now = this.#clock.now();
    return viewOf(bounds, ({ id, limits }) => {
      const state = { ...(this.#states.get(id) ?? fullState(limits, now)) };
      refill(state, limits, now);
      return state;
    });
  }

  remember(bounds: readonly LimitBound[], { states }: ScriptReply): void {
    for (const [place, { id }] of bounds.entries()) {
      const state = states[place];
      if (state === undefined) continue;
      // The least recently used entry is removed first.
      this.#states.delete(id);
      setBounded(this.#states, MAX_VIEWS, id, state);
    }
  }
}
