import type { Clock } from '../../../calendar/clock.ts';
import { setBounded } from '../../routing/set-bounded.ts';
import { fullState, refill, release, type LimitState } from '../limit-state.ts';
import { tokensOf, type ActualUsage, type LimitBound, type RateLimitView, type Reservation } from '../limit-store.ts';
import { viewOf } from '../limit-view.ts';
import type { ReserveReply } from './operations.ts';
import { decodeLevels } from './wire-form.ts';

const MAX_KNOWN = 100_000;

interface Unused {
  readonly requests: number;
  readonly tokens: number;
}

/** The levels of bounds as this worker knows them: of the supervisor's last reply, with what this worker settled since. */
export class KnownLevels {
  readonly #clock: Clock;
  readonly #states = new Map<string, LimitState>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember(bounds: readonly LimitBound[], { levels, now }: Pick<ReserveReply, 'levels' | 'now'>): void {
    for (const [index, { id }] of bounds.entries()) {
      const known = levels[index];
      if (known === undefined) continue;
      // The least recently used entry is removed first.
      this.#states.delete(id);
      setBounded(this.#states, MAX_KNOWN, id, decodeLevels(known, now));
    }
  }

  settled({ bounds, tokens }: Reservation, used: ActualUsage): void {
    for (const bound of bounds) {
      const state = this.#states.get(bound.id);
      if (state !== undefined) release(state, bound.limits, tokens, tokensOf(used, bound), this.#clock.now());
    }
  }

  returned({ bounds, requests, tokens }: Unused & { readonly bounds: readonly LimitBound[] }): void {
    for (const bound of bounds) {
      const state = this.#states.get(bound.id);
      if (state !== undefined) this.#add(state, bound, { requests, tokens });
    }
  }

  /** @param unused what this worker may use of them besides */
  view(bounds: readonly LimitBound[], unused: Unused | undefined): RateLimitView {
    return viewOf(bounds, (bound) => {
      const state = { ...this.#stateOf(bound) };
      if (unused === undefined) refill(state, bound.limits, this.#clock.now());
      else this.#add(state, bound, unused);
      return state;
    });
  }

  refilled(bound: LimitBound): Readonly<LimitState> {
    const state = this.#stateOf(bound);
    refill(state, bound.limits, this.#clock.now());
    return state;
  }

  #stateOf({ id, limits }: LimitBound): LimitState {
    return this.#states.get(id) ?? fullState(limits, this.#clock.now());
  }

  #add(state: LimitState, { limits }: LimitBound, { requests, tokens }: Unused): void {
    refill(state, limits, this.#clock.now());
    state.requests = Math.min(limits.requestsPerMinute, state.requests + requests);
    state.dayRequests = Math.min(limits.requestsPerDay, state.dayRequests + requests);
    if (limits.tokensPerMinute !== Infinity) state.tokens = Math.min(limits.tokensPerMinute, state.tokens + tokens);
  }
}
