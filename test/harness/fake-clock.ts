import type { Clock, Timer } from '../../src/calendar/clock.ts';

const DEFAULT_START_MS = Date.parse('2026-06-15T12:00:00Z');
/** Apart from the wall time, so that a test fails where the two are confused; above 0, which says "never" in some places. */
const MONOTONIC_START_MS = 1_000_000;
/** Longer ones run at once, as Node's do. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A clock that stands still until a test advances it. Timers run within `advance`, each at its own time. */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = MONOTONIC_START_MS;
  /** In the order in which they were started. */
  readonly #timers = new Set<FakeTimer>();
  readonly #waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();

  constructor(startMs: number = DEFAULT_START_MS) {
    this.#now = startMs;
  }

  /** Timers that have not run and are not cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Resolves once so many timers are pending: what a test waits for has begun to wait by this clock. */
  whenPending(count: number): Promise<void> {
    if (this.pending >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ count, resolve }));
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimeout(run: () => void, ms: number): Timer {
    return this.#start(run, ms, false);
  }

  setInterval(run: () => void, ms: number): Timer {
    return this.#start(run, ms, true);
  }

  /** Adjusts the wall time alone, as an operator or NTP does. Timers and `monotonic` do not notice. */
  setNow(ms: number): void {
    this.#now = ms;
  }

  /** Runs the timers that fall due within `ms`, in the order of their time. Promise callbacks run after it returns. */
  advance(ms: number): void {
    const until = this.#monotonic + ms;
    while (this.#runNext(until));
    this.#moveTo(until);
  }

  /** As `advance`; before and after each timer, promise callbacks and immediates run, which may start and cancel timers. */
  async advanceAsync(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    do await immediates();
    while (this.#runNext(until));
    this.#moveTo(until);
  }

  #start(run: () => void, ms: number, repeats: boolean): FakeTimer {
    const everyMs = ms >= 1 && ms <= MAX_TIMER_MS ? ms : 1;
    const timer = new FakeTimer(this.#timers, () => this.#monotonic, { run, everyMs, repeats });
    timer.refresh();
    for (const each of this.#waiting) {
      if (this.pending < each.count) continue;
      this.#waiting.delete(each);
      each.resolve();
    }
    return timer;
  }

  /** False where none falls due. */
  #runNext(until: number): boolean {
    let next: FakeTimer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.dueAt < next.dueAt) next = timer;
    if (next === undefined || next.dueAt > until) return false;
    this.#moveTo(next.dueAt);
    next.fire();
    return true;
  }

  #moveTo(monotonic: number): void {
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}

interface Scheduled {
  readonly run: () => void;
  readonly everyMs: number;
  readonly repeats: boolean;
}

class FakeTimer implements Timer {
  dueAt = 0;
  readonly #pending: Set<FakeTimer>;
  readonly #monotonic: () => number;
  readonly #scheduled: Scheduled;
  #cancelled = false;

  constructor(pending: Set<FakeTimer>, monotonic: () => number, scheduled: Scheduled) {
    this.#pending = pending;
    this.#monotonic = monotonic;
    this.#scheduled = scheduled;
  }

  cancel(): void {
    this.#cancelled = true;
    this.#pending.delete(this);
  }

  refresh(): this {
    if (this.#cancelled) return this;
    this.dueAt = this.#monotonic() + this.#scheduled.everyMs;
    this.#pending.delete(this);
    this.#pending.add(this);
    return this;
  }

  unref(): this {
    return this;
  }

  fire(): void {
    if (this.#scheduled.repeats) this.refresh();
    else this.#pending.delete(this);
    this.#scheduled.run();
  }
}

/** A callback may await something and set an immediate, and that one another. */
async function immediates(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}
