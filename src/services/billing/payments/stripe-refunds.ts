import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { SqlClient } from '../../../database/sql.ts';
import { SluiceError } from '../../../errors/index.ts';
import { callStripe, refusalOf } from './stripe-client.ts';
import { chargeSchema, type StripeCharges, stripeId } from './stripe-charges.ts';
import type { StripeWithdrawals } from './stripe-withdrawals.ts';

export interface RefundFailure {
  readonly refundId: string;
  readonly accountId: string;
  readonly chargeId: string;
  readonly cents: number;
  readonly reason: string | null;
}

/** A failed refund that is to be retried. */
export interface RefundRetry {
  readonly refundId: string;
  readonly chargeId: string;
  readonly cents: number;
  /** How often Stripe rejected a retry. */
  readonly attempts: number;
}

interface StripeRefundsDependencies {
  readonly stripe: Stripe;
  readonly charges: Pick<StripeCharges, 'read'>;
  readonly withdrawals: Pick<StripeWithdrawals, 'accountOf'>;
}

/** A refund's metadata key: the failed refund that it replaces. */
const RETRY_OF = 'sluice_retry_of';
const MAX_LISTED = 100;

const failureEvents = new Set(['refund.failed', 'charge.refund.updated']);
const failedStatuses = new Set(['failed', 'canceled']);
const refundSchema = z.object({
  id: stripeId,
  status: z.string().nullish(),
  charge: z.union([stripeId, chargeSchema]).nullish(),
  amount: z.int().positive().optional(),
  currency: z.string().optional(),
  failure_reason: z.string().max(200).nullish(),
});

/**
 * Refunds that Stripe could not pay out. The amount was withdrawn from the balance and returned to Stripe: a refund that
 * replaces a failed one is not withdrawn a second time.
 */
export class StripeRefunds {
  readonly #dependencies: StripeRefundsDependencies;

  constructor(dependencies: StripeRefundsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Reads the failed refund that an event reports. Sends requests to Stripe: never call it inside a transaction.
   * @returns null for any other event, and for payments that were not recorded here
   * @throws SluiceError payment_provider_failed | database_unavailable
   */
  async readFailure(type: string, object: object): Promise<RefundFailure | null> {
    if (!failureEvents.has(type)) return null;
    const { id: refundId, status, charge: of, amount: cents, currency, failure_reason } = refundSchema.parse(object);
    if (!failedStatuses.has(status ?? '') || !of || cents === undefined || currency === undefined) return null;
    const charge = typeof of === 'string' ? await this.#dependencies.charges.read(of) : of;
    const accountId = await this.#dependencies.withdrawals.accountOf(charge, currency, type);
    if (accountId === null) return null;
    return { refundId, accountId, chargeId: charge.id, cents, reason: failure_reason ?? null };
  }

  /**
   * Retries a failed refund. Idempotent until the caller stores the result.
   * @returns the new refund's id
   * @throws SluiceError refund_declined | payment_provider_failed
   */
  async retry({ refundId, chargeId, cents, attempts }: RefundRetry): Promise<string> {
    const { refunds } = this.#dependencies.stripe;
    const { data } = await callStripe(() => refunds.list({ charge: chargeId, limit: MAX_LISTED }));
    const made = data.find(({ metadata }) => metadata?.[RETRY_OF] === refundId);
    if (made !== undefined) return made.id;
    const refund = { charge: chargeId, amount: cents, metadata: { [RETRY_OF]: refundId } };
    // Stripe repeats a rejection for the same key, so each attempt after one has its own.
    const idempotencyKey = `sluice:refund:${refundId}:${attempts}`;
    try {
      return (await callStripe(() => refunds.create(refund, { idempotencyKey }))).id;
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === null) throw error;
      throw new SluiceError('refund_declined', { values: { reason }, cause: error });
    }
  }
}

/** Idempotent: a failure may be reported several times. */
export async function storeFailedRefund(client: SqlClient, failure: RefundFailure): Promise<void> {
  const { refundId, accountId, chargeId, cents, reason } = failure;
  await client.query(
    `insert into failed_refunds (id, refund_id, account_id, charge_id, cents, reason)
     values (gen_random_uuid(), $1, $2, $3, $4, $5) on conflict (refund_id) do nothing`,
    [refundId, accountId, chargeId, cents, reason],
  );
}
