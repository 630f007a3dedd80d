import { StripeCharges } from './stripe-charges.ts';
import { stripeClient, type StripeAccess } from './stripe-client.ts';
import { StripePayments } from './stripe-payments.ts';
import { StripeRefunds } from './stripe-refunds.ts';
import { StripeWebhook, type StripeWebhookDependencies } from './stripe-webhook.ts';
import { StripeWithdrawals } from './stripe-withdrawals.ts';

export interface StripeOptions
  extends StripeAccess, Omit<StripeWebhookDependencies, 'withdrawals' | 'refunds' | 'secret'> {
  /** Stripe's webhook signing secret; without it no webhook is accepted. */
  readonly webhookSecret: string | undefined;
  /** The public origin of this server, for redirects after payment. */
  readonly publicUrl: string;
}

export interface ConnectedStripe {
  readonly payments: StripePayments;
  readonly refunds: StripeRefunds;
  readonly webhook: StripeWebhook | null;
}

/** Stripe's package is megabytes: import this module only where it is needed. */
export function connectStripe(options: StripeOptions): ConnectedStripe {
  const { database, ledger, log, webhookSecret: secret, publicUrl } = options;
  const stripe = stripeClient(options);
  const charges = new StripeCharges(stripe);
  const withdrawals = new StripeWithdrawals({ database, ledger, log, charges });
  const refunds = new StripeRefunds({ stripe, charges, withdrawals });
  return {
    refunds,
    payments: new StripePayments(database, stripe, publicUrl),
    webhook: secret === undefined ? null : new StripeWebhook({ ...options, withdrawals, refunds, secret }),
  };
}
