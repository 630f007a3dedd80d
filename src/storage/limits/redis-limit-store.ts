import { randomUUID } from 'node:crypto';
import { delay, systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord, RateLimits } from '../../gateway/key-directory.ts';
import {
  amountFrom,
  budgetIds,
  insufficientQuota,
  periodAt,
  spenderOf,
  type BudgetState,
  type SpendBound,
  type Spender,
} from '../../gateway/limits/budget.ts';
import { boundsOf, type LimitBound } from '../../gateway/limits/limit-bound.ts';
import { limitRefusal, requireFit } from '../../gateway/limits/limit-refusal.ts';
import { fullState, refill, type LimitName, type LimitState } from '../../gateway/limits/limit-state.ts';
import {
  DEFERRED_RESERVATION_GRACE_MS,
  tokensOf,
  type BudgetStore,
  type Reservation,
  type LimitStore,
  type DeferredReservation,
  type ActualUsage,
} from '../../gateway/limits/limit-store.ts';
import { viewOf, type RateLimitView } from '../../gateway/limits/limit-view.ts';
import { MemoryLimitStore } from '../../gateway/limits/memory-limit-store.ts';
import { setBounded } from '../../gateway/routing/set-bounded.ts';
import type { RedisStoreOptions } from '../redis-options.ts';
import { LimitRedis, type LimitLog } from './limit-redis.ts';
import { WaitingSteps, type Step } from './waiting-steps.ts';

/** Reservations of a process that died are released after this time. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** A deferred charge that is not billed within this time is released. */
const DEFERRED_LEASE_MS = 24 * 3_600_000;
const MAX_VIEWS = 100_000;
const POLL_INTERVAL_MS = 50;

interface OpenReservation {
  readonly key: KeyRecord;
  readonly hold: Reservation;
}

/**
 * Limits and budgets in Redis or Valkey, shared by several processes. A reservation is a lease that its process renews. While
 * Redis is unavailable, each process enforces an equal share of the limits locally, and keys with a budget are rejected,
 * because the amount spent is not known.
 */
export class RedisLimitStore implements LimitStore, BudgetStore {
  readonly #redis: LimitRedis;
  readonly #clock: Clock;
  /** The clock that Redis' steps use; null for Redis' own. */
  readonly #redisClock: Clock | null;
  readonly #name = randomUUID();
  readonly #views = new Map<string, LimitState>();
  readonly #open = new Map<string, OpenReservation>();
  /** Reservations made while Redis is unavailable. */
  readonly #local: MemoryLimitStore;
  /** Local reservations, with this process's share of the limits. */
  readonly #localReservations = new WeakMap<Reservation, Reservation>();
  readonly #waiting: WaitingSteps;
  /** Budgets whose spending is fully counted in Redis, as far as this process knows. */
  readonly #loadedBudgets = new Set<string>();
  readonly #lostListeners: ((accountId: string) => void)[] = [];
  readonly #timer: Timer;
  #processes = 1;

  /** Without a clock, times are Redis' own, and timers the system's. */
  constructor(options: RedisStoreOptions<LimitLog>) {
    const { log, clock } = options;
    this.#clock = clock ?? systemClock;
    this.#redisClock = clock ?? null;
    this.#local = new MemoryLimitStore(this.#clock);
    this.#waiting = new WaitingSteps(
      ({ keys, step }) => this.#redis.run(keys, step),
      (steps) => this.#recount(steps, log),
      this.#clock,
    );
    this.#redis = new LimitRedis(options, () => void this.#waiting.send());
    this.#timer = this.#clock.setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  async connect(): Promise<void> {
    await this.#redis.open();
    await this.#renew();
  }

  stop(): void {
    this.#timer.cancel();
    this.#waiting.stop();
    this.#redis.close();
  }

  async reserve(key: KeyRecord, model: string, hold: Reservation): Promise<void> {
    const { bounds, tokens } = hold;
    requireFit(bounds, { key, model, tokens });
    let told: ScriptReply;
    try {
      told = parseReply(
        await this.#run('reserve', key, hold, this.#steps(key.budgets), { cost: String(hold.costNano) }),
      );
    } catch (cause) {
      this.#reserveLocally(key, model, hold, cause);
      return;
    }
    this.#remember(bounds, told);
    if (told.refusal === '') {
      this.#open.set(hold.eventId, { key, hold });
      return;
    }
    const budget = key.budgets[told.index - 1];
    if (told.refusal === 'budget' && budget !== undefined)
      throw insufficientQuota(budget, hold.costNano, this.#clock.now());
    const [bound, state] = [bounds[told.index - 1], told.states[told.index - 1]];
    if (told.refusal === 'unknown' || bound === undefined || state === undefined) {
      this.#reportLost(key.accountId);
      throw unavailable();
    }
    throw limitRefusal(asLimitName(told.refusal), bound, state, { key, model, tokens });
  }

  async extend(key: KeyRecord, hold: Reservation, costNano: bigint): Promise<SpendBound | null> {
    if (this.#localReservations.has(hold)) return null;
    const full = await this.#run('extend', key, hold, this.#steps(key.budgets), { cost: String(costNano) });
    if (full === 0) {
      hold.costNano += costNano;
      return null;
    }
    const budget = key.budgets[Number(full) - 1];
    if (budget !== undefined) return budget;
    this.#reportLost(key.accountId);
    throw unavailable();
  }

  settle(key: KeyRecord, hold: Reservation, used: ActualUsage): void {
    this.#open.delete(hold.eventId);
    // Redis knows nothing of it, and its key has no budget.
    const local = this.#localReservations.get(hold);
    if (local !== undefined) return this.#local.settle(key, local, used);
    const own = new Set(key.budgets.map(({ id }) => id));
    const others = budgetIds(spenderOf(key)).filter((id) => !own.has(id));
    const budgets = [...this.#steps(key.budgets), ...others.map((id) => ({ id, start: null }))];
    const tokens = hold.bounds.map((bound) => tokensOf(used, bound));
    const more = { cost: String(used.costNano), used: tokens, ended: this.#clock.now() };
    this.#send(this.#step('settle', key, hold, budgets, more), (told) => this.#remember(hold.bounds, parseReply(told)));
  }

  charge(spender: Spender, costNano: bigint, at: number): void {
    this.#sendOf(spender, 'charge', { at, ended: this.#clock.now(), cost: String(costNano) });
  }

  reserveForDeferredCharge({ id, spender, costNano }: DeferredReservation): void {
    if (costNano === 0n) return;
    this.#sendOf(spender, 'holdOn', { event: id, cost: String(costNano), lease: DEFERRED_LEASE_MS });
  }

  releaseDeferredCharge({ id, spender }: Pick<DeferredReservation, 'id' | 'spender'>): void {
    this.#sendOf(spender, 'letGo', { event: id });
  }

  retain(budgets: readonly SpendBound[], holdIds: ReadonlySet<string>): void {
    for (const { id, accountId } of budgets) {
      const more = { kept: [...holdIds], lease: DEFERRED_LEASE_MS, untold: DEFERRED_RESERVATION_GRACE_MS };
      this.#sendBudgets(accountId, [{ id, start: null }], 'retain', more);
    }
  }

  view(key: KeyRecord, bounds = boundsOf(key)): RateLimitView {
    const now = this.#clock.now();
    return viewOf(bounds, ({ id, limits }) => {
      const state = { ...(this.#views.get(id) ?? fullState(limits, now)) };
      refill(state, limits, now);
      return state;
    });
  }

  /** What this process opens for the first time is counted anew: an earlier one may have died of what it had to tell. */
  async open(budget: SpendBound): Promise<boolean> {
    const step = { anew: !this.#loadedBudgets.has(budget.id) };
    this.#loadedBudgets.add(budget.id);
    try {
      for (;;) {
        const answer = await this.#budgetStep('open', budget, { ...step, at: this.#clock.now() });
        if (answer !== 'wait') return answer === 'load';
        await delay(this.#clock, POLL_INTERVAL_MS);
      }
    } catch (error) {
      this.#loadedBudgets.delete(budget.id);
      throw error;
    }
  }

  async add(budget: SpendBound, spentNano: bigint, at: number): Promise<void> {
    await this.#budgetStep('add', budget, { at, cost: String(spentNano) });
  }

  async close(budget: SpendBound): Promise<void> {
    this.#loadedBudgets.delete(budget.id);
    await this.#budgetStep('close', budget);
  }

  async state(budget: SpendBound): Promise<Readonly<BudgetState> | null> {
    const told = await this.#budgetStep('state', budget);
    if (!Array.isArray(told) || told.length < 2) {
      this.#reportLost(budget.accountId);
      return null;
    }
    return {
      period: periodAt(budget, this.#clock.now()),
      spentNano: BigInt(String(told[0])),
      reservedNano: BigInt(String(told[1])),
    };
  }

  onLost(listener: (accountId: string) => void): void {
    this.#lostListeners.push(listener);
  }

  /** Redis was emptied, or another process closed a budget: whoever keeps them opens them again. */
  #reportLost(accountId: string): void {
    for (const listener of this.#lostListeners) listener(accountId);
  }

  /** What these would have told is counted from the log. */
  #recount(steps: readonly Step[], log: LimitLog): void {
    log.warn({ steps: steps.length }, 'Redis could not be told what was spent; it is counted from the usage log again');
    for (const id of steps.flatMap(({ budgetIds: ids }) => ids)) this.#loadedBudgets.delete(id);
    for (const accountId of new Set(steps.map((each) => each.accountId))) this.#reportLost(accountId);
  }

  /** @throws SluiceError where Redis is away */
  async #budgetStep(op: string, budget: SpendBound, more: object = {}): Promise<unknown> {
    const budgets = [asStep(budget, this.#clock.now())];
    const step = {
      op,
      now: this.#redisClock?.now() ?? null,
      lease: LEASE_MS,
      process: this.#name,
      bounds: [],
      budgets,
      ...more,
    };
    try {
      return await this.#redis.run(stepOf(budget.accountId, [], budgets, op).keys, step);
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  #steps(budgets: readonly SpendBound[]): readonly BudgetStep[] {
    if (budgets.length === 0) return none;
    const now = this.#clock.now();
    return budgets.map((budget) => asStep(budget, now));
  }

  #run(op: string, key: KeyRecord, hold: Reservation, budgets: readonly BudgetStep[], more: object): Promise<unknown> {
    const { keys, step } = this.#step(op, key, hold, budgets, more);
    return this.#redis.run(keys, step);
  }

  #step(op: string, key: KeyRecord, hold: Reservation, budgets: readonly BudgetStep[], more: object): Step {
    const step = {
      op,
      now: this.#redisClock?.now() ?? null,
      lease: LEASE_MS,
      event: hold.eventId,
      at: hold.at,
      tokens: hold.tokens,
      bounds: hold.bounds.map(({ limits }) => scriptLimits(limits)),
      budgets,
      ...more,
    };
    return { ...stepOf(key.accountId, hold.bounds, budgets, hold.eventId), step };
  }

  /** A step of all budgets of a spender, open or not, and of no limit. */
  #sendOf(spender: Spender, op: string, more: object): void {
    const budgets = budgetIds(spender).map((id) => ({ id, start: null }));
    this.#sendBudgets(spender.accountId, budgets, op, more);
  }

  #sendBudgets(accountId: string, budgets: readonly BudgetStep[], op: string, more: object): void {
    const step = { op, now: this.#redisClock?.now() ?? null, bounds: [], budgets, ...more };
    this.#send({ ...stepOf(accountId, [], budgets, randomUUID()), step });
  }

  /** Nobody waits for it, and it is not lost: it is sent again, or what it tells is counted from the log. */
  #send(step: Step, then: (told: unknown) => void = () => undefined): void {
    this.#redis.run(step.keys, step.step).then(then, () => this.#waiting.add(step));
  }

  #reserveLocally(key: KeyRecord, model: string, hold: Reservation, cause: unknown): void {
    if (key.budgets.length > 0) throw unavailable(cause);
    const local = { ...hold, bounds: hold.bounds.map((bound) => this.#shareOf(bound)) };
    this.#local.reserve(key, model, local);
    this.#localReservations.set(hold, local);
  }

  #shareOf(bound: LimitBound): LimitBound {
    const share = (limit: number): number => Math.max(1, Math.floor(limit / this.#processes));
    const { requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency } = bound.limits;
    return {
      ...bound,
      limits: {
        requestsPerMinute: share(requestsPerMinute),
        // One request has to fit all the same.
        tokensPerMinute,
        requestsPerDay: share(requestsPerDay),
        concurrency: share(concurrency),
      },
    };
  }

  async #renew(): Promise<void> {
    try {
      this.#processes = await this.#redis.countProcesses(this.#name, LEASE_MS);
      for (const { key, hold } of this.#open.values())
        await this.#run('renew', key, hold, this.#steps(key.budgets), {});
    } catch {
      // It is away: what it knows of is told when it comes back.
    }
  }

  #remember(bounds: readonly LimitBound[], { states }: ScriptReply): void {
    for (const [place, { id }] of bounds.entries()) {
      const state = states[place];
      if (state === undefined) continue;
      // The oldest goes: it is the one that has been quiet for longest.
      this.#views.delete(id);
      setBounded(this.#views, MAX_VIEWS, id, state);
    }
  }
}

/** A budget as the script is told of it; of one that is only charged, its name. */
interface BudgetStep {
  readonly id: string;
  /** Of another kind is another budget, of the same name. */
  readonly kind?: string;
  readonly start: number | null;
  readonly finish?: number | null;
  readonly amount?: string;
}

const none: readonly BudgetStep[] = [];

interface ScriptReply {
  readonly refusal: string;
  /** Of the bound or the budget that refused, from 1. */
  readonly index: number;
  /** Of each bound. */
  readonly states: readonly LimitState[];
}

function asStep(budget: SpendBound, now: number): BudgetStep {
  const { start, end } = periodAt(budget, now);
  const kind = budget.subject === 'allowance' ? 'ALLOWANCE' : `${budget.period} ${budget.timeZone}`;
  const amount = String(amountFrom(budget, start));
  return { id: budget.id, kind, amount, start, finish: end === Infinity ? null : end };
}

/** All of an account's in one place, as a cluster wants what one script touches. */
function stepOf(
  accountId: string,
  bounds: readonly LimitBound[],
  budgets: readonly BudgetStep[],
  event: string,
): Pick<Step, 'keys' | 'accountId' | 'budgetIds'> {
  const prefix = `sluice:limit:{${accountId}}`;
  const budgetIds = budgets.map(({ id }) => id);
  const keys = [
    ...bounds.flatMap(({ id }) => [`${prefix}:levels:${id}`, `${prefix}:slots:${id}`]),
    ...budgetIds.flatMap((id) => ['budget', 'held', 'leases'].map((part) => `${prefix}:${part}:${id}`)),
    `${prefix}:done:${event}`,
  ];
  return { keys, accountId, budgetIds };
}

function scriptLimits({ requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency }: RateLimits): object {
  const bounded = (limit: number): number | null => (limit === Infinity ? null : limit);
  return {
    requests: bounded(requestsPerMinute),
    tokens: bounded(tokensPerMinute),
    day: bounded(requestsPerDay),
    slots: bounded(concurrency),
  };
}

function parseReply(answer: unknown): ScriptReply {
  if (!Array.isArray(answer)) throw new TypeError('the limit script told something else');
  const [refusal, index, updatedAt, ...levels] = answer.map(String);
  const states: LimitState[] = [];
  for (let at = 0; at < levels.length; at += 4)
    states.push({
      requests: level(levels[at]),
      tokens: level(levels[at + 1]),
      dayRequests: level(levels[at + 2]),
      running: Number(levels[at + 3]),
      updatedAt: Number(updatedAt),
    });
  return { refusal: refusal ?? '', index: Number(index), states };
}

function level(text: string | undefined): number {
  return text === 'inf' ? Infinity : Number(text);
}

function asLimitName(refusal: string): LimitName {
  if (refusal === 'concurrency' || refusal === 'requests' || refusal === 'dayRequests') return refusal;
  return 'tokens';
}

function unavailable(cause?: unknown): SluiceError {
  return new SluiceError('limits_unavailable', { retryAfterMs: 1_000, cause });
}
