import { SluiceError } from '../../errors/index.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { UsageRecord } from './usage-record.ts';

/** For this process: charges of an earlier one are stored. */
const MAX_ENTRIES = 10_000;

export interface DeferredChargesDependencies {
  readonly journal: UsageJournal;
  readonly limits: Pick<LimitStore, 'charge'>;
  /** Whether the database already has the record, which its budgets then include. */
  readonly isStored: (record: UsageRecord) => Promise<boolean>;
}

/** Bills charges that become due after their request has ended. */
export class DeferredCharges {
  readonly #dependencies: DeferredChargesDependencies;
  /** Whether a charge counts in its budgets, by event ID: false if it was appended to a journal that could not be written. */
  readonly #isCounted = new Map<string, boolean>();

  constructor(dependencies: DeferredChargesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Records a charge and counts it in its spender's budgets. It is on disk when this returns. A repeated record, by
   * `event_id` and `began_at`, is stored and counted once, also if the first call failed.
   * @throws SluiceError metering_unavailable, and what `isStored` throws
   */
  async bill(record: UsageRecord): Promise<void> {
    const { journal, limits, isStored } = this.#dependencies;
    const stored = await isStored(record);
    // A stored one is of an earlier process, unless this process has appended it.
    if (!this.#isCounted.has(record.event_id)) this.#remember(record.event_id, stored);
    appendCharge(journal, record);
    if (this.#isCounted.get(record.event_id) === true) return;
    this.#isCounted.set(record.event_id, true);
    const { account_id: accountId, api_key_id: keyId, member_id: memberId } = record;
    // Not known here: `true` includes the allowance if there is one.
    const spender = { accountId, keyId, memberId, hasAllowance: true };
    limits.charge(spender, BigInt(record.cost_nano), Date.parse(record.began_at));
  }

  #remember(eventId: string, isCounted: boolean): void {
    const [oldest] = this.#isCounted.size >= MAX_ENTRIES ? this.#isCounted.keys() : [];
    if (oldest !== undefined) this.#isCounted.delete(oldest);
    this.#isCounted.set(eventId, isCounted);
  }
}

function appendCharge(journal: UsageJournal, { event_id, ...record }: UsageRecord): void {
  // Every journal line starts with its event id.
  journal.appendSettleWithoutBegin(JSON.stringify({ event_id, ...record }));
  journal.flush();
  if (journal.failure) throw new SluiceError('metering_unavailable', { retryAfterMs: 1_000, cause: journal.failure });
}
