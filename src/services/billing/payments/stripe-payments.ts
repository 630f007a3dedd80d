import { Stripe } from 'stripe';
import type { Database } from '../../../database/database.ts';
import { SluiceError } from '../../../errors/index.ts';
import { customerOf, endSubscription, storeCustomer, storeSubscription, type Customer } from './payment-customers.ts';
import type { OpenInvoice, PaymentProvider, TopUp } from './payment-provider.ts';
import { callStripe, stripeFailure } from './stripe-client.ts';
import { centPrice, METER_EVENT } from './stripe-price.ts';

/** As on the invoice. */
const DAYS_UNTIL_DUE = 14;
/** A month's invoices are created by then in any time zone. UTC. */
const COLLECTED_ON = { day_of_month: 2, hour: 12, minute: 0, second: 0 };

/**
 * Collects invoices through Stripe. The amounts come from the invoices here; at Stripe, an account has one subscription to a
 * metered price of one cent, and each invoice reports its total in cents. So both are equal to the cent, regardless of
 * allowances, credit, prorations and time zones. Stripe bills on the second of a month what was reported since the last bill.
 */
export class StripePayments implements PaymentProvider {
  readonly #database: Database;
  readonly #stripe: Stripe;
  readonly #publicUrl: string;
  #price: Promise<string> | null = null;

  /** @param publicUrl the public origin of this server, for redirects after payment */
  constructor(database: Database, stripe: Stripe, publicUrl: string) {
    this.#database = database;
    this.#stripe = stripe;
    this.#publicUrl = publicUrl;
  }

  readonly enroll = async (accountId: string): Promise<void> => {
    await this.#subscribed(accountId);
  };

  readonly withdraw = async (accountId: string): Promise<void> => {
    const customer = await customerOf(this.#database, accountId);
    const id = customer?.subscriptionId ?? null;
    if (id === null) return;
    await callStripe(() => this.#stripe.subscriptions.cancel(id, { invoice_now: true, prorate: false })).catch(
      (error: unknown) => {
        if (!isMissing(error)) throw error;
      },
    );
    await this.#database.transaction((client) => endSubscription(client, id));
  };

  readonly collect = async ({ id, number, accountId, cents }: OpenInvoice): Promise<Date> => {
    const { customerId } = await this.#subscribed(accountId);
    try {
      // By Stripe's clock: by another it could be before the subscription's start.
      const { timestamp } = await callStripe(() =>
        this.#stripe.billing.meterEvents.create(
          {
            event_name: METER_EVENT,
            identifier: `invoice-${id}`,
            payload: { stripe_customer_id: customerId, value: String(cents) },
          },
          { idempotencyKey: `sluice:invoice:${number}` },
        ),
      );
      return new Date(timestamp * 1_000);
    } catch (error) {
      if (isKnownEvent(error)) return new Date();
      throw error;
    }
  };

  readonly checkout = async ({ accountId, cents }: TopUp): Promise<string> => {
    const { customerId } = await this.#customer(accountId);
    const metadata = { sluice_account: accountId };
    const { url } = await callStripe(() =>
      this.#stripe.checkout.sessions.create({
        mode: 'payment',
        customer: customerId,
        client_reference_id: accountId,
        line_items: [
          { quantity: 1, price_data: { currency: 'usd', unit_amount: cents, product_data: { name: 'Credit' } } },
        ],
        metadata,
        payment_intent_data: { metadata },
        success_url: `${this.#publicUrl}/billing/invoices?top_up=paid`,
        cancel_url: `${this.#publicUrl}/billing/invoices?top_up=cancelled`,
      }),
    );
    if (url === null) throw stripeFailure('it named no page to pay on');
    return url;
  };

  /** The account's customer, with the subscription that collects its invoices. */
  async #subscribed(accountId: string): Promise<Customer> {
    const customer = await this.#customer(accountId);
    if (customer.subscriptionId !== null) return customer;
    const price = await this.#centPrice();
    const subscriptionId = (await this.#subscriptionOf(customer, price)) ?? (await this.#subscribe(customer, price));
    await storeSubscription(this.#database, accountId, subscriptionId);
    return { ...customer, subscriptionId };
  }

  /** A subscription that was created by a process that exited before it was stored. */
  async #subscriptionOf({ customerId, endedSubscriptionId }: Customer, price: string): Promise<string | null> {
    const { data } = await callStripe(() =>
      this.#stripe.subscriptions.list({ customer: customerId, price, status: 'all', limit: 100 }),
    );
    const alive = data.find(
      ({ id, status }) => id !== endedSubscriptionId && status !== 'canceled' && status !== 'incomplete_expired',
    );
    return alive?.id ?? null;
  }

  async #subscribe({ accountId, customerId, endedSubscriptionId }: Customer, price: string): Promise<string> {
    const { id } = await callStripe(() =>
      this.#stripe.subscriptions.create(
        {
          customer: customerId,
          items: [{ price }],
          // Customers without a card on file pay on the page that the invoice links to.
          collection_method: 'send_invoice',
          days_until_due: DAYS_UNTIL_DUE,
          billing_cycle_anchor_config: COLLECTED_ON,
          proration_behavior: 'none',
          metadata: { sluice_account: accountId },
        },
        { idempotencyKey: `sluice:subscription:${accountId}:${endedSubscriptionId ?? 'first'}` },
      ),
    );
    return id;
  }

  async #customer(accountId: string): Promise<Customer> {
    const known = await customerOf(this.#database, accountId);
    if (known !== null) return known;
    const [account] = await this.#database.query<{ name: string; email: string | null }>(
      `select account.name, (
        select email from memberships join users on users.id = user_id
        where memberships.account_id = account.id and role in ('billing', 'owner')
        order by role = 'owner', memberships.created_at, users.id limit 1
      ) as email from accounts as account where account.id = $1`,
      [accountId],
    );
    if (account === undefined) throw new SluiceError('not_found', { values: { what: 'account' } });
    const { id } = await callStripe(() =>
      this.#stripe.customers.create(
        {
          name: account.name,
          ...(account.email !== null && { email: account.email }),
          metadata: { sluice_account: accountId },
        },
        { idempotencyKey: `sluice:customer:${accountId}` },
      ),
    );
    await storeCustomer(this.#database, accountId, id);
    const stored = await customerOf(this.#database, accountId);
    if (stored === null) throw stripeFailure('the customer could not be stored');
    return stored;
  }

  /** Looked up once per process; again after a failure. */
  #centPrice(): Promise<string> {
    this.#price ??= callStripe(() => centPrice(this.#stripe)).catch((error: unknown) => {
      this.#price = null;
      throw error;
    });
    return this.#price;
  }
}

/** Stripe has already accepted this event. */
function isKnownEvent(error: unknown): boolean {
  const cause = error instanceof SluiceError ? error.cause : null;
  if (!(cause instanceof Stripe.errors.StripeInvalidRequestError)) return false;
  return cause.code === 'duplicate_meter_event' || /already exists with identifier/i.test(cause.message);
}

/** The subscription was cancelled before. */
function isMissing(error: unknown): boolean {
  const cause = error instanceof SluiceError ? error.cause : null;
  return cause instanceof Stripe.errors.StripeInvalidRequestError && cause.code === 'resource_missing';
}
