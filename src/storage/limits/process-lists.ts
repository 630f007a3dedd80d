import { tagOf } from '../redis/cluster-slots.ts';
import { ProcessList, type ProcessListKeys, type ProcessListOptions } from './process-list.ts';
import { accountPrefix } from './script-steps.ts';

const PROCESSES = 'sluice:limit:processes';
const MISSED = 'sluice:limit:missed';

/** The primaries of Redis, each by its first slot: processes that know the same slots know them by the same number. */
export interface Primaries {
  readonly firstSlots: readonly number[];
  /** The first slot of the primary that has a key; null where it is not known. */
  firstSlotOf(key: string): number | null;
}

type AccountFilter = (accountId: string) => boolean;

export interface ProcessListsOptions extends Pick<ProcessListOptions, 'name' | 'clock' | 'keptMs' | 'send'> {
  readonly primaries: Primaries;
  /**
   * Holds again what this process holds of some accounts.
   * @param isFirst before others count on it @returns those with a budget that Redis lost, and that is not opened again
   */
  readonly holdAgain: (isOf: AccountFilter, isFirst: boolean) => Promise<ReadonlySet<string>>;
  /** Open budgets of some accounts may lack charges. */
  readonly onInexact: (isOf: AccountFilter, why: string) => void;
}

/**
 * A list of processes on each primary: one that loses its data loses its list with the budgets that are there. A list is named after
 * the first slot of its primary. Where slots move, another list begins, with the processes that know of it.
 */
export class ProcessLists {
  readonly #options: ProcessListsOptions;
  readonly #lists = new Map<string, ProcessList>();
  readonly #tags = new Map<number, string>();

  constructor(options: ProcessListsOptions) {
    this.#options = options;
  }

  /** Registers this process on each primary that is available. @returns the number of processes; null where none is available */
  async update(): Promise<number | null> {
    const { firstSlots } = this.#options.primaries;
    const updated = await Promise.allSettled(firstSlots.map((slot) => this.#listOf(slot).update()));
    const counts = updated.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    return counts.length === 0 ? null : Math.max(...counts);
  }

  /**
   * Resolves when every other process holds again what the primary of an account may have lost, or counts as ended.
   * @throws where that primary is unavailable
   */
  async whenComplete(accountId: string): Promise<void> {
    const slot = this.#options.primaries.firstSlotOf(accountPrefix(accountId));
    if (slot === null) throw new Error('Redis is unavailable: the primary of this account is not known');
    await this.#listOf(slot).whenComplete();
  }

  #listOf(slot: number): ProcessList {
    const keys = this.#keysOf(slot);
    let list = this.#lists.get(keys.list);
    if (list === undefined) {
      const { name, clock, keptMs, send, primaries, holdAgain, onInexact } = this.#options;
      // When it is asked for: the slots may have moved.
      const isHere: AccountFilter = (accountId) => {
        const at = primaries.firstSlotOf(accountPrefix(accountId));
        return at !== null && this.#keysOf(at).list === keys.list;
      };
      list = new ProcessList({
        name,
        keys,
        clock,
        keptMs,
        send,
        holdAgain: (accountIds) =>
          accountIds === null
            ? holdAgain(isHere, true)
            : holdAgain((accountId) => accountIds.has(accountId) && isHere(accountId), false),
        onInexact: (why) => onInexact(isHere, why),
      });
      this.#lists.set(keys.list, list);
    }
    return list;
  }

  #keysOf(slot: number): ProcessListKeys {
    // Of one server, too: it is what earlier releases use.
    if (this.#options.primaries.firstSlotOf(PROCESSES) === slot)
      return { list: PROCESSES, missed: `${MISSED}:{${PROCESSES}}:` };
    let tag = this.#tags.get(slot);
    if (tag === undefined) {
      tag = tagOf(slot);
      this.#tags.set(slot, tag);
    }
    return { list: `${PROCESSES}:{${tag}}`, missed: `${MISSED}:{${tag}}:` };
  }
}
