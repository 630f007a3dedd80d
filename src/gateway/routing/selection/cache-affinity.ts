import type { Clock } from '../../../calendar/clock.ts';
import { setBounded } from '../set-bounded.ts';
import type { Target } from '../target.ts';

/** About 6 MB. */
const MAX_CONVERSATIONS = 20_000;
/** Providers keep a prompt for at most an hour after its last use, unless they are paid for longer. */
const RETENTION_MS = 60 * 60_000;

interface Holder {
  readonly connectionId: string;
  readonly model: string;
  readonly until: number;
}

/** The target of one conversation that has its prompt in the provider's cache. */
export interface ConversationTarget {
  holds(target: Target): boolean;
  /** Records the target that receives the conversation now. */
  record(target: Target): void;
}

/**
 * Which target received each conversation last: a provider caches prompts for one account of its own, so the next turn costs less
 * there. In memory, for this process.
 */
export class CacheAffinity {
  readonly #clock: Clock;
  /** The least recently used first. */
  readonly #holders = new Map<string, Holder>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param conversation unique within the account's requests of the route */
  of(accountId: string, routeName: string, conversation: string): ConversationTarget {
    const id = `${accountId}\n${routeName}\n${conversation}`;
    const known = this.#holders.get(id);
    const holder = known !== undefined && known.until > this.#clock.monotonic() ? known : null;
    return {
      holds: ({ connection, model }) => connection.id === holder?.connectionId && model === holder.model,
      record: ({ connection, model }) => {
        this.#holders.delete(id);
        const until = this.#clock.monotonic() + RETENTION_MS;
        setBounded(this.#holders, MAX_CONVERSATIONS, id, { connectionId: connection.id, model, until });
      },
    };
  }
}
