import type { Clock, Timer } from '../../calendar/clock.ts';
import type { PollName, SharedPolls } from './shared-polls.ts';

/** A worker that is not the leader polls once in so many intervals, for a leader that is blocked. */
const FOLLOWER_INTERVALS = 10;

export interface RepeatedPollOptions {
  readonly name: PollName;
  readonly intervalMs: number;
  readonly polls: SharedPolls;
  readonly clock: Clock;
  /** Must not reject. */
  readonly poll: () => Promise<void>;
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
    polls.onAnnounced(name, () => void this.#announced());
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #tick(): void {
    this.#intervals++;
    if (!this.#options.polls.isLeader && this.#intervals % FOLLOWER_INTERVALS !== 0) return;
    if (!this.#isPolling) void this.#poll();
  }

  #announced(): void {
    if (this.#isPolling) this.#isAnnounced = true;
    else void this.#poll();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    do {
      this.#isAnnounced = false;
      if (this.isStarted) await this.#options.poll();
    } while (this.#isAnnounced);
    this.#isPolling = false;
  }
}
