import { setBounded } from '../../routing/set-bounded.ts';

const MAX_EVENTS = 100_000;

/** The events that budgets of this process were charged for, though their lines could not be delivered yet. */
export class ChargedEvents {
  readonly #events = new Map<string, true>();

  has(eventId: string): boolean {
    return this.#events.has(eventId);
  }

  add(eventId: string): void {
    setBounded(this.#events, MAX_EVENTS, eventId, true);
  }

  delete(eventId: string): void {
    this.#events.delete(eventId);
  }
}
