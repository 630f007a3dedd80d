import { Stripe } from 'stripe';
import { z } from 'zod';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { Database } from '../../../database/database.ts';
import type { SqlClient } from '../../../database/sql.ts';
import { SluiceError } from '../../../errors/index.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { NANO_PER_CENT } from '../invoices/invoice-lines.ts';
import type { InvoicesService } from '../invoices/invoices.service.ts';
import type { Ledger } from '../ledger.ts';
import { customerNamed, endSubscription } from './payment-customers.ts';
import { storeFailedRefund, type RefundFailure, type StripeRefunds } from './stripe-refunds.ts';
import type { StripeWithdrawals } from './stripe-withdrawals.ts';

export interface StripeWebhookDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly invoices: Pick<InvoicesService, 'payWithin'>;
  readonly withdrawals: Pick<StripeWithdrawals, 'read' | 'book'>;
  readonly refunds: Pick<StripeRefunds, 'readFailure'>;
  /** Stripe's signing secret. */
  readonly secret: string;
  /** Called after commit for an account whose balance changed. */
  readonly balanceChanged: (accountId: string) => Promise<void>;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

/** Older events are rejected as replays. */
const TOLERANCE_SECONDS = 300;
const CURRENCY = 'usd';

const eventSchema = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});
const cents = z.int().nonnegative();
const sessionSchema = z.object({
  id: z.string(),
  mode: z.string(),
  payment_status: z.string(),
  customer: z.string().nullable(),
  currency: z.string().nullable(),
  amount_subtotal: cents.nullable(),
});
/** In seconds since the epoch. */
const span = z.object({ start: z.number(), end: z.number() });
const invoiceSchema = z.object({
  id: z.string(),
  customer: z.string().nullable(),
  currency: z.string(),
  total: z.int(),
  total_excluding_tax: z.int().nullish(),
  lines: z.object({ data: z.array(z.object({ period: span })) }),
});
const subscriptionSchema = z.object({ id: z.string() });
const refundSchema = z.object({ id: z.string(), status: z.string().nullish() });

/**
 * Processes Stripe's events: each once, in one transaction with its postings. Stripe redelivers an event that fails for days.
 */
export class StripeWebhook {
  readonly #dependencies: StripeWebhookDependencies;

  constructor(dependencies: StripeWebhookDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @param body the raw bytes, because they are signed
   * @throws SluiceError webhook_signature_invalid | payment_provider_failed | database_unavailable
   */
  async receive(body: Buffer, signature: string | undefined): Promise<void> {
    const event = this.#verified(body, signature);
    const { database, withdrawals, refunds, balanceChanged } = this.#dependencies;
    const withdrawal = await withdrawals.read(event.type, event.data.object);
    const failure = await refunds.readFailure(event.type, event.data.object);
    const changed = await mapDatabaseErrors(() =>
      database.transaction(async (client) => {
        const inserted = await client.query(
          'insert into payment_events (id, type) values ($1, $2) on conflict (id) do nothing',
          [event.id, event.type],
        );
        if (inserted.rowCount === 0) return null;
        if (failure !== null) return this.#storeFailure(client, failure);
        return withdrawal === null ? this.#handle(client, event) : withdrawals.book(client, withdrawal);
      }),
    );
    if (changed !== null) await balanceChanged(changed);
  }

  #verified(body: Buffer, signature: string | undefined): z.output<typeof eventSchema> {
    const { secret, clock = systemClock } = this.#dependencies;
    try {
      if (signature === undefined) throw new Error('the signature header is missing');
      const webhooks = Stripe.webhooks;
      const now = clock.now();
      return eventSchema.parse(webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, now));
    } catch (cause) {
      throw new SluiceError('webhook_signature_invalid', { cause });
    }
  }

  /** @returns the account whose balance changed; null for none */
  async #handle(
    client: SqlClient,
    { id, type, data: { object } }: z.output<typeof eventSchema>,
  ): Promise<string | null> {
    const { log } = this.#dependencies;
    switch (type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
        return this.#bookTopUp(client, sessionSchema.parse(object));
      case 'invoice.paid':
        return this.#bookPayment(client, invoiceSchema.parse(object));
      case 'customer.subscription.deleted':
        await endSubscription(client, subscriptionSchema.parse(object).id);
        return null;
      case 'refund.failed':
      case 'charge.refund.updated': {
        const { id: refund, status } = refundSchema.parse(object);
        if (status === 'failed' || status === 'canceled')
          log.warn(
            { event: id, type, refund, status },
            'a refund failed at Stripe; reverse its ledger posting manually',
          );
        return null;
      }
      case 'charge.dispute.created':
      case 'v1.billing.meter.error_report_triggered':
        log.warn({ event: id, type }, 'a Stripe event requires manual review');
        return null;
      default:
        return null;
    }
  }

  /** The amount remains withdrawn, because it will be refunded again. */
  async #storeFailure(client: SqlClient, failure: RefundFailure): Promise<null> {
    const { refundId: refund, reason } = failure;
    await storeFailedRefund(client, failure);
    this.#dependencies.log.warn(
      { refund, reason },
      'a refund failed at Stripe; retry it in the dashboard under Settings',
    );
    return null;
  }

  /** A session may be complete before a delayed payment method has paid: only the payment is credit. */
  async #bookTopUp(client: SqlClient, session: z.output<typeof sessionSchema>): Promise<string | null> {
    const { id, mode, payment_status: status, customer, currency, amount_subtotal: amount } = session;
    if (mode !== 'payment' || status !== 'paid') return null;
    const account = await this.#accountOf(client, customer, currency, id);
    if (account === null || amount === null || amount === 0) return null;
    await this.#dependencies.ledger.topUp(
      {
        accountId: account,
        amountNano: BigInt(amount) * NANO_PER_CENT,
        reference: `stripe:checkout:${id}`,
        description: 'Top-up by Stripe',
      },
      client,
    );
    return account;
  }

  /** A payment beyond the reported invoices becomes credit, so that no amount is lost. */
  async #bookPayment(client: SqlClient, invoice: z.output<typeof invoiceSchema>): Promise<string | null> {
    const { id, customer, currency, lines } = invoice;
    const account = await this.#accountOf(client, customer, currency, id);
    const paid = invoice.total_excluding_tax ?? invoice.total;
    if (account === null || paid <= 0) return null;
    const periods = lines.data.map(({ period }) => period);
    const left = await this.#dependencies.invoices.payWithin(client, {
      accountId: account,
      amountNano: BigInt(paid) * NANO_PER_CENT,
      from: new Date(Math.min(...periods.map(({ start }) => start)) * 1_000),
      to: new Date(Math.max(...periods.map(({ end }) => end)) * 1_000),
      reference: `Stripe ${id}`,
    });
    if (left === 0n) return null;
    this.#dependencies.log.warn(
      { invoice: id, leftNano: String(left) },
      'a payment at Stripe exceeds the open invoices; the rest was added to the credit',
    );
    await this.#dependencies.ledger.topUp(
      {
        accountId: account,
        amountNano: left,
        reference: `stripe:invoice:${id}`,
        description: 'Paid by Stripe beyond invoices',
      },
      client,
    );
    return account;
  }

  async #accountOf(
    client: SqlClient,
    customer: string | null,
    currency: string | null,
    id: string,
  ): Promise<string | null> {
    const known = customer === null ? null : await customerNamed(client, customer);
    if (known !== null && currency === CURRENCY) return known.accountId;
    this.#dependencies.log.warn({ object: id, currency }, 'a Stripe event concerns a payment of an unknown account');
    return null;
  }
}
