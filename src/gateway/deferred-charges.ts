import { SluiceError } from '../errors/index.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { LimitStore } from './limits/limit-store.ts';
import type { UsageRecord } from './usage-record.ts';

/** Of this process: what an earlier one billed is stored. */
const MAX_ENTRIES = 10_000;

export interface DeferredChargesParts {
  readonly journal: UsageJournal;
  readonly limits: Pick<LimitStore, 'charge'>;
  /** Whether the database has the record already: then its budgets have it too. */
  readonly isStored: (record: UsageRecord) => Promise<boolean>;
}

/** Bills what became due after its request had ended. */
export class DeferredCharges {
  readonly #parts: DeferredChargesParts;
  readonly #billed = new Set<string>();

  constructor(parts: DeferredChargesParts) {
    this.#parts = parts;
  }

  /**
   * Records a bill, and counts it in its spender's budgets. It is on disk when this returns. The same record again, by
   * `event_id` and `began_at`, is stored and counted once.
   * @throws SluiceError metering_unavailable, and what `isStored` throws
   */
  async bill(record: UsageRecord): Promise<void> {
    const { journal, limits, isStored } = this.#parts;
    const stored = await isStored(record);
    recordLateBill(journal, record);
    if (stored || this.#billed.has(record.event_id)) return;
    this.#remember(record.event_id);
    const { account_id: accountId, api_key_id: keyId, member_id: memberId } = record;
    // Whether it has one is not known here.
    const spender = { accountId, keyId, memberId, hasAllowance: true };
    limits.charge(spender, BigInt(record.cost_nano), Date.parse(record.began_at));
  }

  #remember(eventId: string): void {
    const [oldest] = this.#billed.size >= MAX_ENTRIES ? this.#billed : [];
    if (oldest !== undefined) this.#billed.delete(oldest);
    this.#billed.add(eventId);
  }
}

function recordLateBill(journal: UsageJournal, { event_id, ...record }: UsageRecord): void {
  // Every line of the journal begins with its event.
  journal.appendSettled(JSON.stringify({ event_id, ...record }));
  journal.flush();
  if (journal.failure) throw new SluiceError('metering_unavailable', { retryAfterMs: 1_000, cause: journal.failure });
}
