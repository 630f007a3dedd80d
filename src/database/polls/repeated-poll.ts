import type { Clock, Timer } from '../../calendar/clock.ts';
import type { PollName, PollOutcome, SharedPolls } from './shared-polls.ts';

/** A worker that is not the leader polls at least once in so many intervals. */
const FOLLOWER_INTERVALS = 10;
/** In intervals: how long a completed poll of the leader stands for those of the others. Above 1, for timers are not exact. */
const LEADER_INTERVALS = 1.1;

export interface RepeatedPollOptions {
  readonly name: PollName;
  readonly intervalMs: number;
  readonly polls: SharedPolls;
  readonly clock: Clock;
  /** If it rejects, the next interval polls again. */
  readonly poll: () => Promise<unknown>;
  readonly onFault: (error: unknown) => void;
}

/** Polls repeatedly, and when the leader has found a change. Polls do not overlap. */
export class RepeatedPoll {
  readonly #options: RepeatedPollOptions;
  #timer: Timer | null = null;
  #intervals = 0;
  #isPolling = false;
  /** A change was announced during a poll, which may have begun before it. */
  #isAnnounced = false;
  #isListening = false;
  /** No poll of this process was completed since it started, or since one failed: announcements of before may be lost. */
  #isOverdue = true;
  /** Of the clock's `monotonic`. */
  #leaderCompletedAt = -Infinity;

  constructor(options: RepeatedPollOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#timer !== null;
  }

  start(): void {
    const { name, intervalMs, polls, clock } = this.#options;
    this.#timer ??= clock.setInterval(() => this.#tick(), intervalMs).unref();
    if (this.#isListening) return;
    this.#isListening = true;
    polls.onAnnounced(name, (outcome) => this.#announced(outcome));
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #tick(): void {
    this.#intervals++;
    const isDue = this.#isOverdue || this.#intervals % FOLLOWER_INTERVALS === 0 || !this.#isCoveredByLeader();
    if (isDue && !this.#isPolling) void this.#poll();
  }

  #isCoveredByLeader(): boolean {
    const { polls, clock, intervalMs } = this.#options;
    return !polls.isLeader && clock.monotonic() - this.#leaderCompletedAt <= intervalMs * LEADER_INTERVALS;
  }

  #announced(outcome: PollOutcome): void {
    if (outcome === 'completed') this.#leaderCompletedAt = this.#options.clock.monotonic();
    else if (this.#isPolling) this.#isAnnounced = true;
    else void this.#poll();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    do {
      this.#isAnnounced = false;
      if (this.isStarted) await this.#pollOnce();
    } while (this.#isAnnounced);
    this.#isPolling = false;
  }

  async #pollOnce(): Promise<void> {
    const { name, poll, polls, onFault } = this.#options;
    try {
      await poll();
      this.#isOverdue = false;
      polls.announce(name, 'completed');
    } catch (error) {
      this.#isOverdue = true;
      onFault(error);
    }
  }
}
