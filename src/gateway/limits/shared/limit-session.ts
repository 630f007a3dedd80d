import type { Clock } from '../../../calendar/clock.ts';
import { spenderOf } from '../budget.ts';
import type { LimitStates } from '../limit-states.ts';
import type { Exceeded, MemoryLimitStore } from '../memory-limit-store.ts';
import { BudgetOperations } from './budget-operations.ts';
import { DefinedObjects } from './defined-objects.ts';
import type { HeldReservations, OpenReservation } from './held-reservations.ts';
import type { LimitLeases } from './limit-leases.ts';
import type { LimitNotice, Operation, Question, ReserveReply } from './operations.ts';
import type { SharedBudgets } from './shared-budgets.ts';
import { decodeLimit, encodeLevels } from './wire-form.ts';
import type { WorkerLeases } from './worker-leases.ts';

export interface LimitSessionDependencies {
  readonly store: MemoryLimitStore;
  /** Of the store. */
  readonly states: LimitStates;
  readonly budgets: SharedBudgets;
  readonly held: HeldReservations;
  readonly leases: LimitLeases;
  readonly clock: Clock;
  readonly onRecovered: (slot: number) => void;
  readonly onFault: (error: unknown) => void;
}

interface Reserving extends OpenReservation {
  readonly mayLend: boolean;
}

/** The operations of one worker. */
export class LimitSession {
  readonly slot: number;
  readonly notify: (notice: LimitNotice) => void;
  readonly #dependencies: LimitSessionDependencies;
  readonly #leases: WorkerLeases;
  readonly #budgets: BudgetOperations;
  readonly #defined = new DefinedObjects();
  readonly #reservations = new Map<number, OpenReservation>();
  #hasLeft = false;

  constructor(slot: number, notify: (notice: LimitNotice) => void, dependencies: LimitSessionDependencies) {
    this.slot = slot;
    this.notify = notify;
    this.#dependencies = dependencies;
    this.#leases = dependencies.leases.join((lease) => notify(['recall', lease]));
    this.#budgets = new BudgetOperations(this, dependencies);
  }

  /** Runs operations in order. @returns the replies to its questions: at once where none has to wait */
  handle(operations: readonly Operation[]): readonly unknown[] | Promise<readonly unknown[]> {
    const replies: unknown[] = [];
    let isWaiting = false;
    for (const operation of operations) {
      const isQuestion = questions.has(operation[0]);
      try {
        const reply = this.#run(operation);
        if (!isQuestion) continue;
        isWaiting ||= reply instanceof Promise;
        replies.push(reply instanceof Promise ? reply.catch((error: unknown) => this.#failed(error)) : reply);
      } catch (error) {
        const failed = this.#failed(error);
        if (isQuestion) replies.push(failed);
      }
    }
    return isWaiting ? Promise.all(replies) : replies;
  }

  /** The worker has ended. What it did not settle is held until its journal is recovered. */
  leave(): void {
    const { budgets, held, leases } = this.#dependencies;
    this.#hasLeft = true;
    leases.leave(this.#leases);
    for (const open of this.#reservations.values()) held.hold(this.slot, open);
    this.#reservations.clear();
    budgets.left(this);
  }

  #failed(error: unknown): object {
    this.#dependencies.onFault(error);
    return { failed: true };
  }

  #run(operation: Operation): unknown {
    const { leases } = this.#dependencies;
    switch (operation[0]) {
      case 'bounds':
      case 'key':
      case 'forget':
        return this.#defined.define(operation);
      case 'reserve':
        return this.#reserve(operation);
      case 'extend':
        return this.#extend(operation[1], BigInt(operation[2]));
      case 'settle':
        return this.#settle(operation);
      case 'correct': {
        const [, key, bounds, reserved, at, ...used] = operation;
        const reservation = { eventId: '', at, bounds: this.#defined.bounds(bounds), tokens: reserved, costNano: 0n };
        return this.#settleAs({ key: this.#defined.key(key), reservation }, used);
      }
      case 'return': {
        const [, lease, requests, tokens, slots] = operation;
        return leases.return(this.#leases, lease, { requests, tokens: decodeLimit(tokens), slots });
      }
      case 'leave':
        return leases.leaveRequest(this.#leases, operation[1], operation[2]);
      case 'recovered':
        return this.#dependencies.onRecovered(this.slot);
      default:
        return this.#budgets.run(operation);
    }
  }

  #reserve(operation: Extract<Question, readonly ['reserve', ...unknown[]]>): ReserveReply | Promise<ReserveReply> {
    const [, id, keyNumber, boundsNumber, tokens, at, cost, mayLend] = operation;
    const { budgets, leases, store } = this.#dependencies;
    const key = this.#defined.key(keyNumber);
    const bounds = this.#defined.bounds(boundsNumber);
    const reservation = { eventId: '', at, bounds, tokens, costNano: BigInt(cost) };
    // Budgets are exact to the request: a key with budgets has no lease.
    const open = { key, reservation, mayLend: mayLend && key.budgets.length === 0 };
    const unknown = key.budgets.findIndex((budget) => !budgets.isReady(budget));
    if (unknown >= 0) return { now: at, levels: [], full: ['unknown', unknown] };
    leases.cap(bounds);
    const exceeded = store.tryReserve(key, reservation);
    if (exceeded !== null && 'bound' in exceeded) return this.#reserveExactly(id, open);
    return this.#replyTo(id, open, exceeded);
  }

  /**
   * Nothing is refused before all leases of its bounds are returned, and what other workers have sent by now is read: the
   * client of a slot that was released may be faster than the message that releases it.
   */
  async #reserveExactly(id: number, open: Reserving): Promise<ReserveReply> {
    const { leases, store } = this.#dependencies;
    await leases.recall(open.reservation.bounds);
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#hasLeft) throw new Error('the worker has ended');
    return this.#replyTo(id, open, store.tryReserve(open.key, open.reservation));
  }

  #replyTo(id: number, open: Reserving, exceeded: Exceeded | null): ReserveReply {
    const { clock, leases, states } = this.#dependencies;
    const { key, reservation, mayLend } = open;
    const { bounds, tokens } = reservation;
    const now = clock.now();
    if (exceeded === null) this.#reservations.set(id, { key, reservation });
    const lease = exceeded === null && mayLend ? leases.grant(this.#leases, bounds, tokens) : undefined;
    const levels = bounds.map((bound) => encodeLevels(states.refilled(bound, now)));
    if (exceeded === null) return { now, levels, lease };
    if ('budget' in exceeded) return { now, levels, full: ['budget', key.budgets.indexOf(exceeded.budget)] };
    return { now, levels, full: [exceeded.limit, bounds.indexOf(exceeded.bound)] };
  }

  #extend(id: number, costNano: bigint): number {
    const { budgets, store } = this.#dependencies;
    const open = this.#reservations.get(id);
    if (open === undefined) throw new Error('the reservation is not open');
    if (!open.key.budgets.every((budget) => budgets.isReady(budget))) return -2;
    const full = store.extend(open.key, open.reservation, costNano);
    return full === null ? -1 : open.key.budgets.indexOf(full);
  }

  #settle([, id, ...used]: Extract<Operation, readonly ['settle', ...unknown[]]>): void {
    const open = this.#reservations.get(id);
    if (open === undefined) throw new Error('the reservation is not open');
    this.#reservations.delete(id);
    this.#settleAs(open, used);
  }

  #settleAs(
    { key, reservation }: OpenReservation,
    [tokens, cost, ended, ...unserved]: readonly [number, string, number, ...number[]],
  ): void {
    const { budgets, store } = this.#dependencies;
    const costNano = BigInt(cost);
    const ids =
      unserved.length === 0 ? undefined : new Set(unserved.map((index) => reservation.bounds[index]?.id ?? ''));
    store.settle(key, reservation, { tokens, costNano, unserved: ids });
    budgets.charged(spenderOf(key), { costNano, at: reservation.at, ended });
  }
}

const questions: ReadonlySet<string> = new Set(['reserve', 'extend', 'open', 'add', 'cancelCount', 'close', 'state']);
