import cluster, { type Worker } from 'node:cluster';
import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { RestartBackoff } from './restart-backoff.ts';
import { followConnections } from './unaccepted-connections.ts';
import type { GroupMember, WorkerGroup } from './worker-group.ts';
import type { WorkerPlace, WorkerStart } from './worker-place.ts';

export interface SupervisorLog {
  error(fields: object, message: string): void;
}

export interface SupervisorOptions {
  readonly count: number;
  readonly group: WorkerGroup;
  readonly log: SupervisorLog;
  readonly clock?: Clock;
}

/** The first worker ended before it served. It has printed why. */
export class FailedStartError extends Error {}

interface Slot {
  readonly number: number;
  readonly backoff: RestartBackoff;
  worker: Worker | null;
  member: GroupMember | null;
  restart: Timer | null;
  hasServed: boolean;
  /** Its present worker serves. */
  isReady: boolean;
  /** It has to read its configuration again once it serves. */
  isReloadDue: boolean;
  /** Settled by the first worker of this slot: with null where it ended before it served. */
  readonly started: PromiseWithResolvers<WorkerStart | null>;
}

/** Starts the workers, replaces those that end, and ends them. */
export class Supervisor {
  readonly #group: WorkerGroup;
  readonly #log: SupervisorLog;
  readonly #clock: Clock;
  readonly #slots: readonly Slot[];
  readonly #stopped = Promise.withResolvers<void>();
  #restarts = 0;
  /** Null while the workers are to run. */
  #stopSignal: NodeJS.Signals | null = null;
  #hasFailed = false;

  constructor({ count, group, log, clock = systemClock }: SupervisorOptions) {
    this.#group = group;
    this.#log = log;
    this.#clock = clock;
    this.#slots = Array.from({ length: count }, (_each, number) => ({
      number,
      backoff: new RestartBackoff(clock),
      worker: null,
      member: null,
      restart: null,
      hasServed: false,
      isReady: false,
      isReloadDue: false,
      started: Promise.withResolvers<WorkerStart | null>(),
    }));
    // The supervisor accepts connections and passes them on in turn: the system would give most of them to one worker.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    group.handlers.onRequest('lifecycle', (_body: null, from): WorkerPlace => {
      return { slot: group.memberOf(from)?.slot ?? 0, count };
    });
    group.handlers.onPost('lifecycle', (start: WorkerStart, from) => {
      const member = group.memberOf(from);
      const slot = this.#slots.find((each) => each.member === member);
      if (member === undefined || slot === undefined) return;
      slot.hasServed = true;
      slot.isReady = true;
      if (slot.isReloadDue) slot.worker?.process.kill('SIGHUP');
      slot.isReloadDue = false;
      slot.backoff.ready();
      group.ready(member);
      slot.started.resolve(start);
    });
  }

  /** How many workers run. */
  get running(): number {
    return this.#slots.filter(({ worker }) => worker !== null).length;
  }

  /** How many ended and were started again. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Starts the first worker, which prepares the database, and then the others.
   * @throws FailedStartError
   */
  async start(): Promise<WorkerStart> {
    const [first, ...others] = this.#slots;
    if (first === undefined) throw new FailedStartError();
    this.#fork(first);
    const start = await first.started.promise;
    if (start === null) throw new FailedStartError();
    for (const slot of others) this.#fork(slot);
    await Promise.all(others.map(({ started }) => started.promise));
    return start;
  }

  /** Has workers read their configuration again: one that starts, which the signal would end, once it serves. */
  reload(): void {
    for (const slot of this.#slots)
      if (slot.isReady) slot.worker?.process.kill('SIGHUP');
      else slot.isReloadDue = true;
  }

  /** Sends a signal to all workers. */
  signal(name: NodeJS.Signals): void {
    for (const { worker } of this.#slots) worker?.process.kill(name);
  }

  /**
   * Sends a signal that ends the workers, and waits until they have ended.
   * @returns whether all ended as they should
   */
  async stop(name: NodeJS.Signals): Promise<boolean> {
    this.#stopSignal = name;
    for (const { restart } of this.#slots) restart?.cancel();
    this.signal(name);
    if (this.running > 0) await this.#stopped.promise;
    return !this.#hasFailed;
  }

  #fork(slot: Slot): void {
    if (this.#stopSignal !== null) return slot.started.resolve(null);
    // Each counts as many workers as this process, whatever `auto` would be by now.
    const worker = cluster.fork({ WORKERS: String(this.#slots.length) });
    const member = this.#group.join(slot.number, worker);
    const closeConnections = followConnections(worker.process);
    [slot.worker, slot.member, slot.restart] = [worker, member, null];
    // A process that begins now reads the present file.
    slot.isReloadDue = false;
    worker.on('error', (err) => this.#log.error({ err, worker: slot.number }, 'a worker could not be reached'));
    worker.once('exit', (code, signal) => {
      // The signal ends one that starts: it does not handle it yet.
      const isAsItShould = code === 0 || (!slot.isReady && signal === this.#stopSignal);
      [slot.worker, slot.member, slot.isReady] = [null, null, false];
      closeConnections();
      this.#group.leave(member);
      if (this.#stopSignal !== null && !isAsItShould) this.#hasFailed = true;
      this.#exited(slot, code, signal);
    });
  }

  #exited(slot: Slot, code: number | null, signal: string | null): void {
    slot.started.resolve(null);
    if (this.#stopSignal !== null) {
      if (this.running === 0) this.#stopped.resolve();
      return;
    }
    // The start has failed. A worker that is killed prints nothing.
    if (slot === this.#slots[0] && !slot.hasServed) {
      if (signal !== null)
        this.#log.error({ worker: slot.number, signal }, 'the first worker was killed as it started');
      return;
    }
    const pauseMs = slot.backoff.failed();
    this.#restarts++;
    this.#log.error({ worker: slot.number, code, signal, pauseMs }, 'a worker ended; it is started again');
    slot.restart = this.#clock.setTimeout(() => this.#fork(slot), pauseMs);
  }
}
