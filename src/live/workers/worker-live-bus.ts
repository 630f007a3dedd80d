import type { BusListener, LiveBus } from '../live-bus.ts';
import { BoundedSender } from './bounded-sender.ts';
import type { BusNotice, BusSender, BusUpdate } from './bus-messages.ts';

/** Carries messages between a worker and the supervisor, in order. */
export interface BusMessages extends BusSender<BusNotice> {
  onUpdate(listener: (update: BusUpdate) => void): void;
}

/** Live events between the workers of a supervisor. Listeners are notified of omitted events, and of a worker that has ended. */
export class WorkerLiveBus implements LiveBus {
  readonly #messages: BusMessages;
  readonly #events: BoundedSender<'publish'>;
  /** Topics that other workers listen to. */
  readonly #wanted = new Set<string>();
  readonly #listeners = new Map<string, Set<BusListener>>();

  /** @param maxUnsentBytes to the supervisor */
  constructor(messages: BusMessages, maxUnsentBytes?: number) {
    this.#messages = messages;
    this.#events = new BoundedSender<'publish'>('publish', messages, maxUnsentBytes);
    messages.onUpdate((update) => this.#receive(update));
    this.#post(['join']);
  }

  hasSubscribers(topic: string): boolean {
    return this.#wanted.size > 0 && this.#wanted.has(topic);
  }

  publish(topic: string, message: string): void {
    if (this.hasSubscribers(topic)) this.#events.send([topic, message]);
  }

  listen(topic: string, listener: BusListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    if (listeners.size === 0) this.#post(['listen', topic]);
    this.#listeners.set(topic, listeners.add(listener));
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#listeners.delete(topic);
      this.#post(['unlisten', topic]);
    };
  }

  /** Sends what was published. */
  close(): void {
    this.#events.flush();
  }

  #receive(update: BusUpdate): void {
    switch (update[0]) {
      case 'wanted': {
        const [, ...topics] = update;
        for (const topic of topics) this.#wanted.add(topic);
        return;
      }
      case 'unwanted': {
        const [, ...topics] = update;
        for (const topic of topics) this.#wanted.delete(topic);
        return;
      }
      case 'events': {
        const [, ...events] = update;
        for (const [topic, message] of events) for (const each of this.#listenersOf(topic)) each.onMessage(message);
        return;
      }
      case 'lost': {
        const [, ...topics] = update;
        for (const topic of topics) for (const each of this.#listenersOf(topic)) each.onLoss();
      }
    }
  }

  #listenersOf(topic: string): Iterable<BusListener> {
    return this.#listeners.get(topic) ?? [];
  }

  #post(notice: BusNotice): void {
    this.#messages.post(notice, () => undefined);
  }
}
