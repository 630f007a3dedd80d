import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { ChangeReader } from './change-reader.ts';
import type { BusListener, LiveBus } from './live-bus.ts';

/** An object that changes all the time is announced this often. */
const MIN_INTERVAL_MS = 500;

export interface ObjectChangesOptions {
  /** Prefix of its bus topics; without a space. */
  readonly kind: string;
  /** Null for a single process. */
  readonly bus: LiveBus | null;
  readonly clock?: Clock;
}

interface Announced {
  readonly accountId: string;
  readonly id: string;
  readonly timer: Timer;
  hasChangedAgain: boolean;
}

/**
 * Which objects of an account change, in this process and, through the bus, in others: their IDs, not their contents, which
 * readers read when they are ready. A change is announced at once, and further ones of the same object together every 500 ms.
 */
export class ObjectChanges {
  readonly #kind: string;
  readonly #bus: LiveBus | null;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<BusListener>>();
  readonly #announced = new Map<string, Announced>();

  constructor({ kind, bus, clock = systemClock }: ObjectChangesOptions) {
    this.#kind = kind;
    this.#bus = bus;
    this.#clock = clock;
  }

  changed(accountId: string, id: string): void {
    // Accounts may choose the same IDs.
    const key = `${accountId} ${id}`;
    const before = this.#announced.get(key);
    if (before !== undefined) {
      before.hasChangedAgain = true;
      return;
    }
    this.#announce(accountId, id);
    const timer = this.#clock.setTimeout(() => {
      const { hasChangedAgain } = announced;
      this.#announced.delete(key);
      if (hasChangedAgain) this.changed(accountId, id);
    }, MIN_INTERVAL_MS);
    const announced: Announced = { accountId, id, timer: timer.unref(), hasChangedAgain: false };
    this.#announced.set(key, announced);
  }

  /** The objects of an account that change from this call on, until `signal` aborts. */
  follow(accountId: string, signal: AbortSignal): ChangeReader {
    const reader = new ChangeReader(this.#clock, signal);
    if (signal.aborted) return reader;
    const listeners = this.#listeners.get(accountId) ?? new Set();
    this.#listeners.set(accountId, listeners.add(reader));
    const stopListening = this.#bus?.listen(this.#topicOf(accountId), reader);
    const stop = (): void => {
      stopListening?.();
      listeners.delete(reader);
      if (listeners.size === 0) this.#listeners.delete(accountId);
    };
    signal.addEventListener('abort', stop, { once: true });
    return reader;
  }

  /** Announces what has changed. Call it before the process ends. */
  close(): void {
    const announced = [...this.#announced.values()];
    this.#announced.clear();
    for (const { accountId, id, timer, hasChangedAgain } of announced) {
      timer.cancel();
      if (hasChangedAgain) this.#announce(accountId, id);
    }
  }

  #announce(accountId: string, id: string): void {
    for (const listener of this.#listeners.get(accountId) ?? []) listener.onMessage(id);
    const topic = this.#topicOf(accountId);
    if (this.#bus?.hasSubscribers(topic) === true) this.#bus.publish(topic, id);
  }

  #topicOf(accountId: string): string {
    return `${this.#kind}:${accountId}`;
  }
}
