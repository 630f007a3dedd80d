import type { Stripe } from 'stripe';
import { z } from 'zod';
import { callStripe } from './stripe-client.ts';

/** A Stripe object id, used as ledger reference. */
export const stripeId = z.string().min(1).max(100);
/** A reference to another object: its id, or the expanded object. */
const referred = z.union([stripeId, z.object({ id: stripeId }).transform(({ id }) => id)]);

/** The fields that are read from a charge. */
export const chargeSchema = z.object({
  id: stripeId,
  customer: referred.nullable(),
  currency: z.string(),
  payment_intent: referred.nullable(),
  /** Cents refunded in total so far. */
  amount_refunded: z.int().nonnegative(),
});

export type Charge = z.output<typeof chargeSchema>;

/** Reads what payments were made for. Each method throws SluiceError payment_provider_failed. */
export class StripeCharges {
  readonly #stripe: Stripe;

  constructor(stripe: Stripe) {
    this.#stripe = stripe;
  }

  async read(id: string): Promise<Charge> {
    return chargeSchema.parse(await callStripe(() => this.#stripe.charges.retrieve(id)));
  }

  /**
   * Whether it paid for credit or for an invoice: only those are posted. Requested from Stripe, because a refund event may
   * arrive before the payment event.
   */
  async isBooked({ payment_intent: intent }: Charge): Promise<boolean> {
    if (intent === null) return false;
    const sessions = await callStripe(() => this.#stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 }));
    if (sessions.data.some(({ mode }) => mode === 'payment')) return true;
    const payment = { type: 'payment_intent', payment_intent: intent } as const;
    const invoices = await callStripe(() => this.#stripe.invoicePayments.list({ payment, limit: 1 }));
    return invoices.data.length > 0;
  }
}
