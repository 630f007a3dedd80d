import type { Clock } from '../../../calendar/clock.ts';
import { setBounded } from '../../routing/set-bounded.ts';
import type { LimitStates } from '../limit-states.ts';
import type { LimitBound } from '../limit-store.ts';
import { capLevels, lend, takeBack, type LentAmounts } from './lent-levels.ts';
import type { WireLease } from './operations.ts';
import { encodeLimit } from './wire-form.ts';
import { WorkerLeases, type Lease } from './worker-leases.ts';

/** For the first lease of some bounds to a worker. The next one is larger if it was used up soon. */
const FIRST_REQUESTS = 16;
const MAX_REQUESTS = 2_048;
/** A smaller lease saves nothing. */
const MIN_REQUESTS = 8;
/** The most that all workers together are lent of what is left, at a time. */
const MAX_PART = 1 / 8;
const SOON_MS = 1_000;
/** After a limit was reached, requests are admitted one by one for so long. */
const EXACT_MS = 1_000;
/** A worker that does not return a lease within this time is stuck: what it was lent counts as used. */
const RECALL_TIMEOUT_MS = 1_000;
const MAX_EXACT_BOUNDS = 10_000;

/**
 * Lends workers a small part of what bounds have left, so that they admit most requests without a message. Near a limit
 * nothing is lent, and no request is refused while a worker has a lease of the limit that it has not used up.
 */
export class LimitLeases {
  readonly #states: LimitStates;
  readonly #clock: Clock;
  /** Leases that have not ended, by the ids of their bounds. */
  readonly #byBound = new Map<string, Set<Lease>>();
  /** Until when bounds are not lent. */
  readonly #exactUntil = new Map<string, number>();
  readonly #workers = new Set<WorkerLeases>();

  constructor(states: LimitStates, clock: Clock) {
    this.#states = states;
    this.#clock = clock;
  }

  join(recall: (lease: number) => void): WorkerLeases {
    const worker = new WorkerLeases(recall);
    this.#workers.add(worker);
    return worker;
  }

  /** Releases the slots of a worker that has ended; the rest of its leases counts as used. */
  leave(worker: WorkerLeases): void {
    this.#workers.delete(worker);
    for (const lease of worker.leases.values()) {
      this.#takeBack(lease, { requests: 0, tokens: 0, slots: lease.slots });
      this.#end(lease);
    }
  }

  /** Lends some of the bounds, for requests like one of so many tokens; undefined where too little is left. */
  grant(worker: WorkerLeases, bounds: readonly LimitBound[], tokens: number): WireLease | undefined {
    const now = this.#clock.now();
    if (worker.current.has(bounds) || bounds.some(({ id }) => this.#isExact(id, now))) return undefined;
    const part = MAX_PART / this.#workers.size;
    let requests = worker.sizes.get(bounds) ?? FIRST_REQUESTS;
    let lentTokens = Infinity;
    for (const bound of bounds) {
      const state = this.#states.refilled(bound, now);
      const left = Math.min(state.requests, state.dayRequests, bound.limits.concurrency - state.running);
      requests = Math.min(requests, Math.floor(left * part));
      lentTokens = Math.min(lentTokens, Math.floor(state.tokens * part));
    }
    // Requests differ in size.
    if (lentTokens !== Infinity) lentTokens = Math.min(lentTokens, 2 * requests * tokens);
    if (requests < MIN_REQUESTS || lentTokens < MIN_REQUESTS * tokens) return undefined;
    const id = worker.nextId++;
    const recall = (): void => worker.recall(id);
    const lent = { requests, tokens: lentTokens, slots: requests };
    const lease: Lease = { ...lent, bounds, recall, grantedAt: now, isEnded: false, waiting: [] };
    for (const bound of bounds) {
      lend(this.#states.of(bound, now), bound.limits, lent);
      this.#add(bound.id, lease);
    }
    worker.leases.set(id, lease);
    worker.current.set(bounds, lease);
    return [id, requests, encodeLimit(lentTokens)];
  }

  /** A worker returns what it has not used. Its running requests keep their slots. */
  return(worker: WorkerLeases, id: number, unused: LentAmounts): void {
    const lease = worker.leases.get(id);
    if (lease === undefined || lease.isEnded) return;
    this.#takeBack(lease, unused);
    lease.slots -= unused.slots;
    worker.sizes.set(lease.bounds, this.#nextSize(lease, unused.requests));
    worker.current.delete(lease.bounds);
    this.#end(lease);
    if (lease.slots <= 0) worker.leases.delete(id);
  }

  /** A request of a lease that was returned has ended. @param tokens reserved, less those used */
  leaveRequest(worker: WorkerLeases, id: number, tokens: number): void {
    const lease = worker.leases.get(id);
    if (lease === undefined) return;
    this.#takeBack(lease, { requests: 0, tokens, slots: 1 });
    if (--lease.slots <= 0 && lease.isEnded) worker.leases.delete(id);
  }

  /** Before a request is admitted: a level and what is lent of it together never exceed the limit. */
  cap(bounds: readonly LimitBound[]): void {
    if (this.#byBound.size === 0) return;
    for (const bound of bounds) {
      const lent = this.#byBound.get(bound.id);
      if (lent !== undefined) capLevels(this.#states.refilled(bound, this.#clock.now()), bound.limits, lent);
    }
  }

  /** Has all leases of these bounds returned, and lends none of them for a while. */
  async recall(bounds: readonly LimitBound[]): Promise<void> {
    const until = this.#clock.now() + EXACT_MS;
    const leases = new Set<Lease>();
    for (const { id } of bounds) {
      setBounded(this.#exactUntil, MAX_EXACT_BOUNDS, id, until);
      for (const lease of this.#byBound.get(id) ?? []) leases.add(lease);
    }
    if (leases.size === 0) return;
    const returned = [...leases].map((lease) => {
      const ended = new Promise<void>((resolve) => lease.waiting.push(resolve));
      lease.recall();
      return ended;
    });
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimeout(resolve, RECALL_TIMEOUT_MS).unref();
      void Promise.all(returned).then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #isExact(id: string, now: number): boolean {
    const until = this.#exactUntil.get(id);
    if (until === undefined) return false;
    if (now < until) return true;
    this.#exactUntil.delete(id);
    return false;
  }

  /** Requests in the next lease: twice as many where this one was used up soon, fewer where most of it was not used. */
  #nextSize({ requests, grantedAt }: Lease, unused: number): number {
    const isUsedUp = unused < requests / 4 && this.#clock.now() - grantedAt < SOON_MS;
    const next = isUsedUp ? requests * 2 : unused > requests / 2 ? Math.ceil(requests / 2) : requests;
    return Math.min(MAX_REQUESTS, Math.max(FIRST_REQUESTS, next));
  }

  #takeBack({ bounds }: Lease, amounts: LentAmounts): void {
    const now = this.#clock.now();
    for (const bound of bounds) takeBack(this.#states.refilled(bound, now), bound.limits, amounts);
  }

  #add(boundId: string, lease: Lease): void {
    const leases = this.#byBound.get(boundId);
    if (leases === undefined) this.#byBound.set(boundId, new Set([lease]));
    else leases.add(lease);
  }

  #end(lease: Lease): void {
    lease.isEnded = true;
    for (const { id } of lease.bounds) {
      const leases = this.#byBound.get(id);
      leases?.delete(lease);
      if (leases?.size === 0) this.#byBound.delete(id);
    }
    for (const resume of lease.waiting.splice(0)) resume();
  }
}
