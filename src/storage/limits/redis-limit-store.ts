import { randomUUID } from 'node:crypto';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord, ResolvedKeyLimits } from '../../gateway/key-directory.ts';
import {
  amountFrom,
  budgetIds,
  outOfMoney,
  periodAt,
  spenderOf,
  type BudgetState,
  type SpendBound,
  type Spender,
} from '../../gateway/limits/budget.ts';
import { limitRefusal, requireFit, viewOf } from '../../gateway/limits/key-limits.ts';
import { fullState, refill, type KeyLimitState, type LimitName } from '../../gateway/limits/key-state.ts';
import type { BudgetStore, Hold, LimitStore, RateLimitView, Used } from '../../gateway/limits/limit-store.ts';
import { MemoryLimitStore } from '../../gateway/limits/memory-limit-store.ts';
import { LimitRedis, type LimitLog } from './limit-redis.ts';
import { WaitingSteps, type Step } from './waiting-steps.ts';

/** What a process that died has taken is given back after so long. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const MOST_VIEWS = 100_000;
const LOOK_AGAIN_MS = 50;

export interface RedisLimitStoreOptions {
  readonly url: string;
  readonly log: LimitLog;
  /** Redis' own clock where absent. */
  readonly now?: () => number;
}

interface OpenHold {
  readonly key: KeyRecord;
  readonly hold: Hold;
}

/**
 * Limits and budgets in Redis or Valkey, for several processes together. What a request takes is a lease that its process
 * renews. While Redis is away each process enforces an even share of the limits by itself, and no key with a budget is served:
 * nobody knows then what it has spent.
 */
export class RedisLimitStore implements LimitStore, BudgetStore {
  readonly #redis: LimitRedis;
  readonly #now: (() => number) | null;
  readonly #name = randomUUID();
  readonly #views = new Map<string, KeyLimitState>();
  readonly #open = new Map<string, OpenHold>();
  /** Of the holds that were taken here, while Redis was away. */
  readonly #local = new MemoryLimitStore();
  readonly #locally = new WeakSet<Hold>();
  readonly #waiting: WaitingSteps;
  /** Budgets of which all that was spent is counted: in Redis, as far as this process knows. */
  readonly #counted = new Set<string>();
  readonly #lostListeners: ((accountId: string) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #processes = 1;

  constructor({ url, log, now }: RedisLimitStoreOptions) {
    this.#now = now ?? null;
    this.#waiting = new WaitingSteps(
      ({ keys, step }) => this.#redis.run(keys, step),
      (steps) => this.#countAnew(steps, log),
    );
    this.#redis = new LimitRedis(url, log, () => void this.#waiting.send());
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  async connect(): Promise<void> {
    await this.#redis.open();
    await this.#renew();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#waiting.stop();
    this.#redis.close();
  }

  async reserve(key: KeyRecord, model: string, hold: Hold): Promise<void> {
    requireFit(key, model, hold.tokens);
    let told: Told;
    try {
      told = readTold(await this.#run('reserve', key, hold, this.#steps(key.budgets), { cost: String(hold.costNano) }));
    } catch (cause) {
      this.#reserveHere(key, model, hold, cause);
      return;
    }
    this.#remember(key, told);
    if (told.refusal === '') {
      this.#open.set(hold.eventId, { key, hold });
      return;
    }
    const budget = key.budgets[told.budget - 1];
    if (told.refusal === 'budget' && budget !== undefined) throw outOfMoney(budget);
    if (told.refusal === 'unknown') {
      this.#lost(key.accountId);
      throw unavailable();
    }
    throw limitRefusal(asLimitName(told.refusal), key, told.state, model, hold.tokens);
  }

  async extend(key: KeyRecord, hold: Hold, costNano: bigint): Promise<boolean> {
    if (this.#locally.has(hold)) return true;
    const extended = await this.#run('extend', key, hold, this.#steps(key.budgets), { cost: String(costNano) });
    if (extended === 1) hold.costNano += costNano;
    return extended === 1;
  }

  settle(key: KeyRecord, hold: Hold, used: Used): void {
    this.#open.delete(hold.eventId);
    // Redis knows nothing of it, and its key has no budget.
    if (this.#locally.has(hold)) return this.#local.settle(this.#shared(key), hold, used);
    const own = new Set(key.budgets.map(({ id }) => id));
    const others = budgetIds(spenderOf(key)).filter((id) => !own.has(id));
    const budgets = [...this.#steps(key.budgets), ...others.map((id) => ({ id, start: null }))];
    const more = { cost: String(used.costNano), used: used.tokens, ended: this.#clock() };
    this.#send(this.#step('settle', key, hold, budgets, more), (told) => this.#remember(key, readTold(told)));
  }

  charge(spender: Spender, costNano: bigint, at: number): void {
    const budgets = budgetIds(spender).map((id) => ({ id, start: null }));
    const event = randomUUID();
    const now = this.#now?.() ?? null;
    const step = { op: 'charge', now, event, at, ended: this.#clock(), cost: String(costNano), budgets };
    this.#send({ ...stepOf(spender.accountId, spender.keyId, budgets, event), step });
  }

  view(key: KeyRecord): RateLimitView {
    const now = this.#clock();
    const state = { ...(this.#views.get(key.id) ?? fullState(key.limits, now)) };
    refill(state, key.limits, now);
    return viewOf(state, key.limits);
  }

  /** What this process opens for the first time is counted anew: an earlier one may have died of what it had to tell. */
  async open(budget: SpendBound): Promise<boolean> {
    const step = { anew: !this.#counted.has(budget.id) };
    this.#counted.add(budget.id);
    try {
      for (;;) {
        const answer = await this.#budgetStep('open', budget, { ...step, at: this.#clock() });
        if (answer !== 'wait') return answer === 'load';
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
    } catch (error) {
      this.#counted.delete(budget.id);
      throw error;
    }
  }

  async add(budget: SpendBound, spentNano: bigint, at: number): Promise<void> {
    await this.#budgetStep('add', budget, { at, cost: String(spentNano) });
  }

  async close(budget: SpendBound): Promise<void> {
    this.#counted.delete(budget.id);
    await this.#budgetStep('close', budget);
  }

  async state(budget: SpendBound): Promise<Readonly<BudgetState> | null> {
    const told = await this.#budgetStep('state', budget);
    if (!Array.isArray(told) || told.length < 2) {
      this.#lost(budget.accountId);
      return null;
    }
    return {
      period: periodAt(budget, this.#clock()),
      spentNano: BigInt(String(told[0])),
      reservedNano: BigInt(String(told[1])),
    };
  }

  onLost(listener: (accountId: string) => void): void {
    this.#lostListeners.push(listener);
  }

  /** Redis was emptied, or another process closed a budget: whoever keeps them opens them again. */
  #lost(accountId: string): void {
    for (const listener of this.#lostListeners) listener(accountId);
  }

  /** What these would have told is counted from the log. */
  #countAnew(steps: readonly Step[], log: LimitLog): void {
    log.warn({ steps: steps.length }, 'Redis could not be told what was spent; it is counted from the usage log again');
    for (const id of steps.flatMap(({ budgetIds: ids }) => ids)) this.#counted.delete(id);
    for (const accountId of new Set(steps.map((each) => each.accountId))) this.#lost(accountId);
  }

  /** @throws SluiceError where Redis is away */
  async #budgetStep(op: string, budget: SpendBound, more: object = {}): Promise<unknown> {
    const budgets = [asStep(budget, this.#clock())];
    const step = { op, now: this.#now?.() ?? null, lease: LEASE_MS, process: this.#name, budgets, ...more };
    try {
      return await this.#redis.run(stepOf(budget.accountId, '', budgets, op).keys, step);
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  #steps(budgets: readonly SpendBound[]): readonly BudgetStep[] {
    if (budgets.length === 0) return none;
    const now = this.#clock();
    return budgets.map((budget) => asStep(budget, now));
  }

  #clock(): number {
    return this.#now?.() ?? Date.now();
  }

  #run(op: string, key: KeyRecord, hold: Hold, budgets: readonly BudgetStep[], more: object): Promise<unknown> {
    const { keys, step } = this.#step(op, key, hold, budgets, more);
    return this.#redis.run(keys, step);
  }

  #step(op: string, key: KeyRecord, hold: Hold, budgets: readonly BudgetStep[], more: object): Step {
    const { limits } = key;
    const step = {
      op,
      now: this.#now?.() ?? null,
      lease: LEASE_MS,
      event: hold.eventId,
      at: hold.at,
      tokens: hold.tokens,
      slot: limits.concurrency !== Infinity,
      limits: scriptLimits(limits),
      budgets,
      ...more,
    };
    return { ...stepOf(key.accountId, key.id, budgets, hold.eventId), step };
  }

  /** Nobody waits for it, and it is not lost: it is sent again, or what it tells is counted from the log. */
  #send(step: Step, then: (told: unknown) => void = () => undefined): void {
    this.#redis.run(step.keys, step.step).then(then, () => this.#waiting.add(step));
  }

  #reserveHere(key: KeyRecord, model: string, hold: Hold, cause: unknown): void {
    if (key.budgets.length > 0) throw unavailable(cause);
    this.#local.reserve(this.#shared(key), model, hold);
    this.#locally.add(hold);
  }

  /** The key with this process' share of its limits. */
  #shared(key: KeyRecord): KeyRecord {
    const share = (limit: number): number => Math.max(1, Math.floor(limit / this.#processes));
    const { requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency } = key.limits;
    return {
      ...key,
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

  #remember({ id }: KeyRecord, { state }: Told): void {
    // The oldest goes: it is the one whose key has been quiet for longest.
    this.#views.delete(id);
    const [oldest] = this.#views.size >= MOST_VIEWS ? this.#views.keys() : [];
    if (oldest !== undefined) this.#views.delete(oldest);
    this.#views.set(id, state);
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

interface Told {
  readonly refusal: string;
  /** Its number among the key's, from 1. */
  readonly budget: number;
  readonly state: KeyLimitState;
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
  keyId: string,
  budgets: readonly BudgetStep[],
  event: string,
): Pick<Step, 'keys' | 'accountId' | 'budgetIds'> {
  const prefix = `sluice:limit:{${accountId}}`;
  const budgetIds = budgets.map(({ id }) => id);
  const keys = [
    `${prefix}:key:${keyId}`,
    `${prefix}:slots:${keyId}`,
    ...budgetIds.flatMap((id) => ['budget', 'held', 'leases'].map((part) => `${prefix}:${part}:${id}`)),
    `${prefix}:done:${event}`,
  ];
  return { keys, accountId, budgetIds };
}

function scriptLimits({ requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency }: ResolvedKeyLimits): object {
  const bounded = (limit: number): number | null => (limit === Infinity ? null : limit);
  return { requests: requestsPerMinute, tokens: tokensPerMinute, day: bounded(requestsPerDay), concurrency };
}

function readTold(answer: unknown): Told {
  if (!Array.isArray(answer)) throw new TypeError('the limit script told something else');
  const [refusal, budget, requests, tokens, dayRequests, running, updatedAt] = answer.map(String);
  return {
    refusal: refusal ?? '',
    budget: Number(budget),
    state: {
      requests: level(requests),
      tokens: level(tokens),
      dayRequests: level(dayRequests),
      running: Number(running),
      updatedAt: Number(updatedAt),
    },
  };
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
