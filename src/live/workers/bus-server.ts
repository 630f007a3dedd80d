import { BoundedSender } from './bounded-sender.ts';
import type { BusNotice, BusSender, BusUpdate } from './bus-messages.ts';

/** A running worker. */
export interface BusSession {
  readonly sender: BusSender<BusUpdate>;
  readonly events: BoundedSender<'events'>;
  readonly topics: Set<string>;
}

/**
 * Passes live events of each worker on to the others that listen to their topic, in order per publisher. A worker learns which
 * topics others listen to, so that it publishes nothing else.
 */
export class BusServer {
  readonly #sessions = new Set<BusSession>();
  readonly #listeners = new Map<string, Set<BusSession>>();
  readonly #maxUnsentBytes: number | undefined;

  /** @param maxUnsentBytes per worker */
  constructor(maxUnsentBytes?: number) {
    this.#maxUnsentBytes = maxUnsentBytes;
  }

  join(sender: BusSender<BusUpdate>): BusSession {
    const events = new BoundedSender<'events'>('events', sender, this.#maxUnsentBytes);
    const session = { sender, events, topics: new Set<string>() };
    this.#sessions.add(session);
    return session;
  }

  /** A worker has ended. Its last events may not have arrived. */
  leave(session: BusSession): void {
    if (!this.#sessions.delete(session)) return;
    for (const topic of session.topics) this.#unlisten(session, topic);
    for (const [topic, listeners] of this.#listeners) for (const { events } of listeners) events.omitted(topic);
  }

  handle(session: BusSession, notice: BusNotice): void {
    switch (notice[0]) {
      case 'join': {
        const topics = [...this.#listeners.keys()].filter((topic) => this.#isWantedFrom(session, topic));
        return post(session, ['wanted', ...topics]);
      }
      case 'listen':
        return this.#listen(session, notice[1]);
      case 'unlisten':
        return this.#unlisten(session, notice[1]);
      case 'publish': {
        const [, ...events] = notice;
        for (const event of events) for (const other of this.#others(session, event[0])) other.events.send(event);
        return;
      }
      case 'lost': {
        const [, ...topics] = notice;
        for (const topic of topics) for (const other of this.#others(session, topic)) other.events.omitted(topic);
      }
    }
  }

  #listen(session: BusSession, topic: string): void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    if (listeners.has(session)) return;
    for (const other of this.#sessions)
      if (other !== session && !this.#isWantedFrom(other, topic)) post(other, ['wanted', topic]);
    this.#listeners.set(topic, listeners.add(session));
    session.topics.add(topic);
  }

  #unlisten(session: BusSession, topic: string): void {
    const listeners = this.#listeners.get(topic);
    session.topics.delete(topic);
    if (listeners?.delete(session) !== true) return;
    if (listeners.size === 0) this.#listeners.delete(topic);
    for (const other of this.#sessions)
      if (other !== session && !this.#isWantedFrom(other, topic)) post(other, ['unwanted', topic]);
  }

  #isWantedFrom(session: BusSession, topic: string): boolean {
    return this.#others(session, topic).length > 0;
  }

  #others(session: BusSession, topic: string): BusSession[] {
    return [...(this.#listeners.get(topic) ?? [])].filter((other) => other !== session);
  }
}

function post({ sender }: BusSession, update: BusUpdate): void {
  sender.post(update, () => undefined);
}
