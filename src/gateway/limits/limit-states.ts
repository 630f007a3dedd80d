import { fullState, periods, refill, type LimitState } from './limit-state.ts';
import type { LimitBound } from './limit-store.ts';

/** The states of all bounds that requests were counted in, by id. */
export class LimitStates {
  readonly #states = new Map<string, LimitState>();

  /** Its levels are those of its last change. */
  of({ id, limits }: LimitBound, now: number): LimitState {
    let state = this.#states.get(id);
    if (state === undefined) {
      state = fullState(limits, now);
      this.#states.set(id, state);
    }
    return state;
  }

  refilled(bound: LimitBound, now: number): LimitState {
    const state = this.of(bound, now);
    refill(state, bound.limits, now);
    return state;
  }

  /** After a day of inactivity a bucket is full, like a new one. */
  forgetIdle(now: number): void {
    for (const [id, state] of this.#states)
      if (state.running === 0 && now - state.updatedAt > periods.day) this.#states.delete(id);
  }
}
