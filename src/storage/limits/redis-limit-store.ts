import { randomUUID } from 'node:crypto';
import { delay, systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import {
  budgetIds,
  insufficientQuota,
  periodAt,
  spenderOf,
  type BudgetState,
  type Spender,
} from '../../gateway/limits/budget.ts';
import type { SpendBound } from '../../gateway/keys/spend-bound.ts';
import {
  DEFERRED_RESERVATION_GRACE_MS,
  tokensOf,
  type BudgetStore,
  type Reservation,
  type LimitStore,
  type DeferredReservation,
  type ActualUsage,
  boundsOf,
  type RateLimitView,
} from '../../gateway/limits/limit-store.ts';
import { limitRefusal, requireFit } from '../../gateway/limits/limit-view.ts';
import type { RedisStoreOptions } from '../redis-options.ts';
import { LimitRedis, type LimitLog } from './limit-redis.ts';
import { LimitViews } from './limit-views.ts';
import { LocalLimits } from './local-limits.ts';
import { ProcessLists } from './process-lists.ts';
import {
  asLimitName,
  asStep,
  parseReply,
  scriptLimits,
  stepOf,
  type BudgetStep,
  type ScriptReply,
} from './script-steps.ts';
import { WaitingSteps, type Step } from './waiting-steps.ts';

/** Reservations of a process that died are released after this time. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const HEARTBEAT_MS = 2_000;
/** A deferred charge that is not billed within this time is released. */
const DEFERRED_LEASE_MS = 24 * 3_600_000;
/** Few enough for Redis to answer within the timeout of a command. */
const RENEW_BATCH = 100;
const POLL_INTERVAL_MS = 50;
const none: readonly BudgetStep[] = [];

interface OpenReservation {
  readonly key: KeyRecord;
  readonly reservation: Reservation;
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
  readonly #views: LimitViews;
  readonly #open = new Map<string, OpenReservation>();
  /** For the time that Redis is unavailable. */
  readonly #local: LocalLimits;
  readonly #waiting: WaitingSteps;
  /** Budgets whose spending is fully counted in Redis, as far as this process knows, with their accounts. */
  readonly #loadedBudgets = new Map<string, string>();
  readonly #lostListeners: ((accountId: string) => void)[] = [];
  readonly #processLists: ProcessLists;
  readonly #timers: readonly Timer[];
  #processes = 1;

  /** Without a clock, times are Redis' own, and timers the system's. */
  constructor(options: RedisStoreOptions<LimitLog>) {
    const { log, clock } = options;
    this.#clock = clock ?? systemClock;
    this.#redisClock = clock ?? null;
    this.#local = new LocalLimits(this.#clock);
    this.#views = new LimitViews(this.#clock);
    this.#waiting = new WaitingSteps(
      ({ keys, step }) => this.#redis.run(keys, step),
      (steps) => this.#recount(steps, log),
      this.#clock,
    );
    const onReady = (): void => {
      void this.#waiting.send();
      // A server that restarted may have lost them.
      if (this.#open.size > 0) void this.#renew();
      void this.#register();
    };
    this.#redis = new LimitRedis(options, onReady, () => this.#recountAll(log, 'Redis has a new primary'));
    this.#processLists = new ProcessLists({
      name: this.#name,
      clock: this.#clock,
      keptMs: LEASE_MS,
      primaries: this.#redis,
      send: (key, command) => this.#redis.send(key, command),
      holdAgain: async (isOf, isFirst) => {
        const lost = await this.#renewOpen(({ key }) => isOf(key.accountId), rethrow);
        if (isFirst) for (const accountId of lost) this.#reportLost(accountId);
        return lost;
      },
      onInexact: (isOf, why) => this.#recountAll(log, why, isOf),
    });
    this.#timers = [
      this.#clock.setInterval(() => void this.#renew(), RENEW_MS).unref(),
      this.#clock.setInterval(() => void this.#register(), HEARTBEAT_MS).unref(),
    ];
  }

  async connect(): Promise<void> {
    await this.#redis.open();
    await this.#register();
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#waiting.stop();
    this.#redis.close();
  }

  async reserve(key: KeyRecord, model: string, reservation: Reservation): Promise<void> {
    const { bounds, tokens } = reservation;
    requireFit(bounds, { key, model, tokens });
    const isReady = this.#redis.isReady;
    let reply: ScriptReply;
    try {
      reply = parseReply(
        await this.#run('reserve', key, reservation, this.#steps(key.budgets), { cost: String(reservation.costNano) }),
      );
    } catch (cause) {
      if (isReady && LimitRedis.mayHaveRun(cause))
        this.#send(this.#step('cancel', key, reservation, this.#steps(key.budgets), {}));
      if (key.budgets.length > 0) throw unavailable(cause);
      this.#local.reserve(key, model, reservation, this.#processes);
      return;
    }
    this.#views.remember(bounds, reply);
    if (reply.refusal === '') {
      this.#open.set(reservation.eventId, { key, reservation });
      return;
    }
    const budget = key.budgets[reply.index - 1];
    if (reply.refusal === 'budget' && budget !== undefined)
      throw insufficientQuota(budget, reservation.costNano, this.#clock.now());
    const [bound, state] = [bounds[reply.index - 1], reply.states[reply.index - 1]];
    if (reply.refusal === 'unknown' || bound === undefined || state === undefined) {
      this.#reportLost(key.accountId);
      throw unavailable();
    }
    throw limitRefusal(asLimitName(reply.refusal), bound, state, { key, model, tokens });
  }

  async extend(key: KeyRecord, reservation: Reservation, costNano: bigint): Promise<SpendBound | null> {
    if (this.#local.has(reservation)) return null;
    const steps = this.#steps(key.budgets);
    const full = await this.#run('extend', key, reservation, steps, { cost: String(costNano) }).catch(
      rethrowUnavailable,
    );
    if (full === 0) {
      reservation.costNano += costNano;
      return null;
    }
    const budget = key.budgets[Number(full) - 1];
    if (budget !== undefined) return budget;
    this.#reportLost(key.accountId);
    throw unavailable();
  }

  settle(key: KeyRecord, reservation: Reservation, used: ActualUsage): void {
    this.#open.delete(reservation.eventId);
    // Redis does not know it, and its key has no budget.
    if (this.#local.has(reservation)) return this.#local.settle(key, reservation, used);
    const own = new Set(key.budgets.map(({ id }) => id));
    const others = budgetIds(spenderOf(key)).filter((id) => !own.has(id));
    const budgets = [...this.#steps(key.budgets), ...others.map((id) => ({ id, start: null }))];
    const tokens = reservation.bounds.map((bound) => tokensOf(used, bound));
    const more = { cost: String(used.costNano), used: tokens, ended: this.#clock.now() };
    this.#send(this.#step('settle', key, reservation, budgets, more), (raw) =>
      this.#views.remember(reservation.bounds, parseReply(raw)),
    );
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

  retain(budgets: readonly SpendBound[], reservationIds: ReadonlySet<string>): void {
    for (const { id, accountId } of budgets) {
      const more = { kept: [...reservationIds], lease: DEFERRED_LEASE_MS, untold: DEFERRED_RESERVATION_GRACE_MS };
      this.#sendBudgets(accountId, [{ id, start: null }], 'retain', more);
    }
  }

  view(key: KeyRecord, bounds = boundsOf(key)): RateLimitView {
    return this.#views.of(bounds);
  }

  /** Recounts a budget when this process first opens it: an earlier one may have died before it sent all charges. */
  async open(budget: SpendBound): Promise<boolean> {
    const step = { anew: !this.#loadedBudgets.has(budget.id) };
    this.#loadedBudgets.set(budget.id, budget.accountId);
    let hasRenewed = false;
    try {
      for (;;) {
        const answer = await this.#budgetStep('open', budget, { ...step, at: this.#clock.now() });
        // Before it is in use again: Redis may have lost what this process holds of it.
        if (answer !== 'ready' && !hasRenewed)
          await this.#renewOpen(({ key }) => key.budgets.some(({ id }) => id === budget.id));
        hasRenewed = true;
        if (answer !== 'wait') return answer === 'load';
        await delay(this.#clock, POLL_INTERVAL_MS);
      }
    } catch (error) {
      this.#loadedBudgets.delete(budget.id);
      throw error;
    }
  }

  recount(budgets: readonly SpendBound[]): void {
    for (const { id } of budgets) this.#loadedBudgets.delete(id);
  }

  async add(budget: SpendBound, spentNano: bigint, at: number): Promise<void> {
    await this.#budgetStep('add', budget, { at, cost: String(spentNano) });
  }

  async cancelCount(budget: SpendBound): Promise<void> {
    this.#loadedBudgets.delete(budget.id);
    await this.#budgetStep('cancelCount', budget);
  }

  async close(budget: SpendBound): Promise<void> {
    this.#loadedBudgets.delete(budget.id);
    await this.#budgetStep('close', budget);
  }

  async whenOthersReady(accountId: string): Promise<void> {
    await this.#processLists.whenComplete(accountId).catch(rethrowUnavailable);
  }

  async state(budget: SpendBound): Promise<Readonly<BudgetState> | null> {
    const reply = await this.#budgetStep('state', budget);
    if (!Array.isArray(reply) || reply.length < 2) {
      this.#reportLost(budget.accountId);
      return null;
    }
    return {
      period: periodAt(budget, this.#clock.now()),
      spentNano: BigInt(String(reply[0])),
      reservedNano: BigInt(String(reply[1])),
    };
  }

  onLost(listener: (accountId: string) => void): void {
    this.#lostListeners.push(listener);
  }

  /** Redis lost its data, or another process closed a budget: its owner opens it again. */
  #reportLost(accountId: string): void {
    for (const listener of this.#lostListeners) listener(accountId);
  }

  /** Recounts from the usage log what these steps would have charged. */
  #recount(steps: readonly Step[], log: LimitLog): void {
    log.warn({ steps: steps.length }, 'charges could not be sent to Redis; budgets are recounted from the usage log');
    for (const id of steps.flatMap(({ budgetIds: ids }) => ids)) this.#loadedBudgets.delete(id);
    for (const accountId of new Set(steps.map((each) => each.accountId))) this.#reportLost(accountId);
  }

  /** Replication is asynchronous: a new primary may lack the last charges. */
  #recountAll(log: LimitLog, why: string, isOf: (accountId: string) => boolean = () => true): void {
    const budgets = [...this.#loadedBudgets].filter(([, accountId]) => isOf(accountId));
    if (budgets.length === 0) return;
    log.warn({}, `${why}; budgets are recounted from the usage log`);
    for (const [id] of budgets) this.#loadedBudgets.delete(id);
    for (const accountId of new Set(budgets.map(([, each]) => each))) this.#reportLost(accountId);
  }

  /** @throws SluiceError if Redis is unavailable */
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

  #run(
    op: string,
    key: KeyRecord,
    reservation: Reservation,
    budgets: readonly BudgetStep[],
    more: object,
  ): Promise<unknown> {
    const { keys, step } = this.#step(op, key, reservation, budgets, more);
    return this.#redis.run(keys, step);
  }

  #step(op: string, key: KeyRecord, reservation: Reservation, budgets: readonly BudgetStep[], more: object): Step {
    const step = {
      op,
      now: this.#redisClock?.now() ?? null,
      lease: LEASE_MS,
      event: reservation.eventId,
      at: reservation.at,
      tokens: reservation.tokens,
      bounds: reservation.bounds.map(({ limits }) => scriptLimits(limits)),
      budgets,
      ...more,
    };
    return { ...stepOf(key.accountId, reservation.bounds, budgets, reservation.eventId), step };
  }

  /** A step for all budgets of a spender, open or not, without limits. */
  #sendOf(spender: Spender, op: string, more: object): void {
    const budgets = budgetIds(spender).map((id) => ({ id, start: null }));
    this.#sendBudgets(spender.accountId, budgets, op, more);
  }

  #sendBudgets(accountId: string, budgets: readonly BudgetStep[], op: string, more: object): void {
    const step = { op, now: this.#redisClock?.now() ?? null, bounds: [], budgets, ...more };
    this.#send({ ...stepOf(accountId, [], budgets, randomUUID()), step });
  }

  /** Sent in the background: a failed step is retried, or recounted from the log. */
  #send(step: Step, then: (reply: unknown) => void = () => undefined): void {
    this.#redis.run(step.keys, step.step).then(then, () => this.#waiting.add(step));
  }

  /** Also a heartbeat. */
  async #register(): Promise<void> {
    this.#processes = (await this.#processLists.update()) ?? this.#processes;
  }

  /** In a cluster, one of them may be on a server that is unavailable, and others not. */
  async #renew(): Promise<void> {
    for (const accountId of await this.#renewOpen(() => true, ignored)) this.#reportLost(accountId);
  }

  /** Extends the leases of open reservations, and holds again what Redis lost. @returns accounts with a budget that it lost */
  async #renewOpen(
    isOf: (open: OpenReservation) => boolean,
    onError: (error: unknown) => void = rethrow,
  ): Promise<ReadonlySet<string>> {
    const lost = new Set<string>();
    const open = [...this.#open].filter(([, each]) => isOf(each));
    for (let at = 0; at < open.length; at += RENEW_BATCH)
      await Promise.all(
        open.slice(at, at + RENEW_BATCH).map(async ([eventId, { key, reservation }]) => {
          // Settled meanwhile.
          if (!this.#open.has(eventId)) return;
          const cost = { cost: String(reservation.costNano) };
          const known = await this.#run('renew', key, reservation, this.#steps(key.budgets), cost).catch(onError);
          if (known === 0) lost.add(key.accountId);
        }),
      );
    return lost;
  }
}

function ignored(): void {}

function rethrow(error: unknown): never {
  throw error;
}

function rethrowUnavailable(cause: unknown): never {
  throw unavailable(cause);
}

function unavailable(cause?: unknown): SluiceError {
  return new SluiceError('limits_unavailable', { retryAfterMs: 1_000, cause });
}
