import { z } from 'zod';
import type { Database } from '../../../database/database.ts';
import type { SqlClient } from '../../../database/sql.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { NANO_PER_CENT } from '../invoices/invoice-lines.ts';
import type { Ledger } from '../ledger.ts';
import { customerNamed } from './payment-customers.ts';
import { chargeSchema, type Charge, type StripeCharges, stripeId } from './stripe-charges.ts';

export interface StripeWithdrawalsDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly charges: Pick<StripeCharges, 'read' | 'isBooked'>;
  readonly log: { warn(fields: object, message: string): void };
}

/** A refund or dispute of an account's payment, or its reversal. */
export type Withdrawal = Refunded | Disputed;

interface Refunded {
  readonly what: 'refunded';
  readonly accountId: string;
  readonly chargeId: string;
  /** The total refunded of the charge so far, including refunds that were reported before. */
  readonly cents: number;
}

interface Disputed {
  readonly what: 'withdrawn' | 'reinstated';
  readonly accountId: string;
  readonly disputeId: string;
  readonly cents: number;
  /** In the settlement currency: the withdrawn amount, and the part of it that was returned. */
  readonly taken: number;
  readonly returned: number;
}

const CURRENCY = 'usd';

const disputeSchema = z.object({
  id: stripeId,
  charge: z.union([stripeId, chargeSchema]),
  amount: z.int().nonnegative(),
  currency: z.string(),
  /** Negative for withdrawn amounts, positive for returned ones, also of a lost dispute if a part was refunded before. */
  balance_transactions: z.array(z.object({ amount: z.int() })).nullish(),
});

/**
 * Posts refunds and disputes: the ledger reflects the latest state that Stripe reported, regardless of repetitions and the
 * order of events.
 */
export class StripeWithdrawals {
  readonly #dependencies: StripeWithdrawalsDependencies;

  constructor(dependencies: StripeWithdrawalsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Reads the refund or dispute of an event. Sends requests to Stripe: never call it inside a transaction.
   * @returns null for any other event, and for payments that were not recorded here
   * @throws SluiceError payment_provider_failed | database_unavailable
   */
  async read(type: string, object: object): Promise<Withdrawal | null> {
    switch (type) {
      case 'charge.refunded': {
        const charge = chargeSchema.parse(object);
        const accountId = await this.accountOf(charge, charge.currency, type);
        const { id: chargeId, amount_refunded: cents } = charge;
        return accountId === null ? null : { what: 'refunded', accountId, chargeId, cents };
      }
      case 'charge.dispute.funds_withdrawn':
        return this.#readDispute('withdrawn', type, object);
      case 'charge.dispute.funds_reinstated':
        return this.#readDispute('reinstated', type, object);
      default:
        return null;
    }
  }

  /** @returns the account whose balance changed; null if everything was posted before */
  async book(client: SqlClient, withdrawal: Withdrawal): Promise<string | null> {
    const { accountId, what } = withdrawal;
    // Serialized, so that each call sees the postings of those before it.
    await client.query('select from payment_customers where account_id = $1 for update', [accountId]);
    const isNew =
      what === 'refunded' ? await this.#bookRefund(client, withdrawal) : await this.#bookDispute(client, withdrawal);
    return isNew ? accountId : null;
  }

  async #readDispute(what: Disputed['what'], type: string, object: object): Promise<Disputed | null> {
    const { id: disputeId, charge, amount: cents, currency, balance_transactions: moved } = disputeSchema.parse(object);
    const disputed = typeof charge === 'string' ? await this.#dependencies.charges.read(charge) : charge;
    const accountId = await this.accountOf(disputed, currency, type);
    const amounts = (moved ?? []).map(({ amount }) => amount);
    const taken = -sum(amounts.filter((amount) => amount < 0));
    const returned = sum(amounts.filter((amount) => amount > 0));
    return accountId === null ? null : { what, accountId, disputeId, cents, taken, returned };
  }

  /**
   * The account of a charge; null, and logged, if the charge was not recorded here.
   * @throws SluiceError payment_provider_failed | database_unavailable
   */
  async accountOf(charge: Charge, currency: string, type: string): Promise<string | null> {
    const { database, charges, log } = this.#dependencies;
    const { id, customer } = charge;
    const known =
      customer === null
        ? null
        : await mapDatabaseErrors(() => database.transaction((client) => customerNamed(client, customer)));
    if (known !== null && currency === CURRENCY && (await charges.isBooked(charge))) return known.accountId;
    log.warn(
      { charge: id, type, currency },
      'a Stripe event concerns a refund or dispute of a payment that is not recorded here',
    );
    return null;
  }

  /** Posts the difference to what was posted before; a late event has none. */
  async #bookRefund(client: SqlClient, { accountId, chargeId, cents }: Refunded): Promise<boolean> {
    const prefix = `stripe:charge:${chargeId}:refunded:`;
    const amountNano = BigInt(cents) * NANO_PER_CENT - (await withdrawnSoFar(client, accountId, prefix));
    if (amountNano <= 0n) return false;
    const posting = { accountId, amountNano, reference: `${prefix}${cents}`, description: 'Refunded by Stripe' };
    return !(await this.#dependencies.ledger.withdraw(posting, client)).repeated;
  }

  async #bookDispute(client: SqlClient, dispute: Disputed): Promise<boolean> {
    const { ledger, log } = this.#dependencies;
    const { what, accountId, disputeId, cents, taken, returned } = dispute;
    if (what === 'reinstated' && (taken === 0 || returned === 0)) {
      log.warn(
        { dispute: disputeId },
        'a Stripe dispute does not state the returned amount; post it to the ledger manually',
      );
      return false;
    }
    const of = (amountNano: bigint, what: Disputed['what'], description: string) => ({
      accountId,
      amountNano,
      reference: `stripe:dispute:${disputeId}:${what}`,
      description,
    });
    const before = await withdrawnSoFar(client, accountId, `stripe:dispute:${disputeId}:withdrawn`);
    if (cents === 0 || (before > 0n && what === 'withdrawn')) return false;
    const amountNano = before > 0n ? before : BigInt(cents) * NANO_PER_CENT;
    // The return may be reported before the withdrawal: then both are posted, and the later event finds them.
    if (before === 0n) await ledger.withdraw(of(amountNano, 'withdrawn', 'Disputed at Stripe'), client);
    if (what === 'withdrawn') return true;
    const back = (amountNano * BigInt(Math.min(returned, taken))) / BigInt(taken);
    const posted = await ledger.reinstate(of(back, 'reinstated', 'Back from a dispute at Stripe'), client);
    return !posted.repeated;
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** Nano-USD of all postings whose reference starts with the prefix. */
async function withdrawnSoFar(client: SqlClient, accountId: string, prefix: string): Promise<bigint> {
  const { rows } = await client.query<{ amount: string }>(
    `select coalesce(-sum(amount_nano), 0) as amount from ledger_postings as posting
    join ledger_entries as entry on entry.posting_id = posting.id and book = 'wallet'
    where posting.account_id = $1 and reference is not null and starts_with(reference, $2) and kind = 'withdrawal'`,
    [accountId, prefix],
  );
  return BigInt(rows[0]?.amount ?? 0);
}
