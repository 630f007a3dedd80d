import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/database/database.ts';
import { Account, Invoice, Membership, User } from '../../../../src/database/entities/index.ts';
import { JobQueue } from '../../../../src/jobs/job-queue.ts';
import { InvoiceIssuing } from '../../../../src/services/billing/invoices/invoice-issuing.ts';
import { InvoicesService } from '../../../../src/services/billing/invoices/invoices.service.ts';
import { Ledger } from '../../../../src/services/billing/ledger.ts';
import { connectStripe, type ConnectedStripe } from '../../../../src/services/billing/payments/connect-stripe.ts';
import { enrollAccounts } from '../../../../src/services/billing/payments/jobs.ts';
import type { StripePayments } from '../../../../src/services/billing/payments/stripe-payments.ts';
import { METER_EVENT } from '../../../../src/services/billing/payments/stripe-price.ts';
import { TopUps } from '../../../../src/services/billing/top-ups.ts';
import { describeWithDatabase } from '../../../harness/databases.ts';
import { FakeStripe, signedEvent, stripeKey, type SignedEvent, webhookSecret } from '../../../harness/fake-stripe.ts';

const CENT = 10_000_000n;

describeWithDatabase('payments through Stripe', (databases) => {
  let database: Database;
  let ledger: Ledger;
  let invoices: InvoicesService;
  let stripe: FakeStripe;
  let apiBase: string;
  let warnings: object[];
  let changed: string[];

  beforeAll(async () => {
    database = await databases.open();
    ledger = new Ledger(database);
    invoices = new InvoicesService(database, ledger);
  });

  beforeEach(async () => {
    await database.query("update invoices set status = 'void' where status = 'open'");
    stripe = new FakeStripe();
    apiBase = await stripe.start();
    warnings = [];
    changed = [];
  });

  afterEach(() => stripe.close());

  const connected = (): ConnectedStripe =>
    connectStripe({
      database,
      ledger,
      invoices,
      secretKey: stripeKey,
      apiBase,
      webhookSecret,
      publicUrl: 'https://gate.example',
      balanceChanged: async (accountId) => void changed.push(accountId),
      log: { warn: (fields) => void warnings.push(fields) },
    });

  const payments = (): StripePayments => connected().payments;

  const issuing = (): InvoiceIssuing =>
    new InvoiceIssuing({
      database,
      provider: payments(),
      mailer: { send: async () => undefined },
      publicUrl: 'https://gate.example',
    });

  const receive = async (body: string, signature: string | undefined): Promise<void> =>
    connected().webhook?.receive(Buffer.from(body), signature);

  const tell = (type: string, object: object, id = `evt_${randomUUID()}`): Promise<void> => {
    const { body, signature } = signedEvent(id, type, object);
    return receive(body, signature);
  };

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'Ada & Co', plan: 'pro', planSince: new Date(), timeZone: 'UTC' });
    const user = em.create(User, { email: `${randomUUID()}@example.com`, name: 'Ada', passwordHash: '-' });
    em.create(Membership, { account, user, role: 'owner' });
    await em.flush();
    return account.id;
  }

  let months = 0;

  /** As left by the closing of a period. */
  async function newInvoice(accountId: string, cents: number): Promise<Invoice> {
    const em = database.em();
    months += 1;
    const totalNano = BigInt(cents) * CENT;
    const invoice = em.create(Invoice, {
      accountId,
      number: `${randomUUID().slice(0, 8).toUpperCase()}-${String(months).padStart(4, '0')}`,
      accountName: 'Ada & Co',
      timeZone: 'UTC',
      periodStart: new Date(Date.UTC(2020, months)),
      periodEnd: new Date(Date.UTC(2020, months + 1)),
      planId: 'pro',
      planName: 'Pro',
      totalNano,
      cutoffAt: new Date(),
      createdAt: new Date(),
      dueAt: new Date(),
    });
    await em.persist(invoice).flush();
    await ledger.fee({ accountId, amountNano: totalNano, reference: `invoice:${invoice.id}:fees` });
    await ledger.invoice({ accountId, amountNano: totalNano, reference: `invoice:${invoice.id}:demand` });
    return invoice;
  }

  const statusOf = async ({ number }: Invoice): Promise<string> => (await invoices.byNumber(number)).invoice.status;
  const customerOf = async (accountId: string): Promise<string> => {
    const [row] = await database.query<{ customer_id: string }>(
      'select customer_id from payment_customers where account_id = $1',
      [accountId],
    );
    return row?.customer_id ?? '';
  };
  const cycle = (from = Date.now() - 86_400_000, to = Date.now() + 86_400_000) => ({
    data: [{ period: { start: Math.floor(from / 1_000), end: Math.floor(to / 1_000) } }],
  });

  describe('an account', () => {
    it('is enrolled once its plan has a fee', async () => {
      const paid = new Set<string>();
      const enrolled: string[] = [];
      const queue = new JobQueue(database);
      const look = enrollAccounts(queue, {
        enroll: async (id) => void enrolled.push(id),
        isPaid: async (id) => paid.has(id),
        onFault: (error) => expect.fail(String(error)),
      });
      await queue.start();
      const [free, pro] = [randomUUID(), randomUUID()];
      paid.add(pro);
      look(free);
      look(pro);
      const ended = "select state from pgboss.job where name = 'enroll-account'";
      await expect.poll(() => database.query(ended)).toEqual([{ state: 'completed' }, { state: 'completed' }]);
      await queue.stop();
      expect(enrolled).toEqual([pro]);
    });

    it('is enrolled again after a failure', async () => {
      let attempts = 0;
      const queue = new JobQueue(database);
      const look = enrollAccounts(queue, {
        enroll: async () => {
          attempts++;
          throw new Error('Stripe is away');
        },
        isPaid: async () => true,
        onFault: (error) => expect.fail(String(error)),
      });
      await queue.start();
      const id = randomUUID();
      look(id);
      const state = "select state from pgboss.job where name = 'enroll-account' and data ->> 'accountId' = $1";
      await expect.poll(() => database.query(state, [id])).toEqual([{ state: 'retry' }]);
      await queue.stop();
      expect(attempts).toBe(1);
    });

    it('uses the existing meter if only the price was lost', async () => {
      stripe.stored.meters.push({ id: 'mtr_others', event_name: 'others' }, { id: 'mtr_own', event_name: METER_EVENT });
      await payments().enroll(await newAccount());
      expect(stripe.stored.prices).toMatchObject([{ 'recurring[meter]': 'mtr_own' }]);
      expect(stripe.stored.meters).toHaveLength(2);
    });

    it('has one customer with one subscription to a metered price after repeated enrollments', async () => {
      const id = await newAccount();
      await Promise.all(Array.from({ length: 4 }, () => payments().enroll(id)));
      await payments().enroll(id);
      expect(stripe.stored.customers).toMatchObject([{ name: 'Ada & Co', 'metadata[sluice_account]': id }]);
      expect(stripe.stored.meters).toMatchObject([{ 'default_aggregation[formula]': 'sum' }]);
      expect(stripe.stored.prices).toMatchObject([
        {
          unit_amount: '1',
          currency: 'usd',
          'recurring[usage_type]': 'metered',
          'recurring[meter]': stripe.stored.meters[0]?.id,
        },
      ]);
      expect(stripe.stored.subscriptions).toMatchObject([
        {
          customer: await customerOf(id),
          'items[0][price]': stripe.stored.prices[0]?.id,
          collection_method: 'send_invoice',
          'billing_cycle_anchor_config[day_of_month]': '2',
        },
      ]);
      expect(String(stripe.stored.customers[0]?.email)).toContain('@example.com');
    });

    it('reuses a subscription that was created before a crash', async () => {
      const id = await newAccount();
      await payments().enroll(id);
      await database.query('update payment_customers set subscription_id = null where account_id = $1', [id]);
      await payments().enroll(id);
      expect(stripe.stored.subscriptions).toHaveLength(1);
    });

    it('gets a new subscription after the first has ended', async () => {
      const id = await newAccount();
      await payments().enroll(id);
      const [first] = stripe.stored.subscriptions;
      Object.assign(first ?? {}, { status: 'canceled' });
      await tell('customer.subscription.deleted', { id: first?.id });
      await payments().enroll(id);
      expect(stripe.stored.subscriptions).toHaveLength(2);
    });

    it('that was deleted and fully billed is charged what was reported, and has no subscription any more', async () => {
      const id = await newAccount();
      await newInvoice(id, 900);
      await issuing().issueOpen();
      const ids = [id, new Date(Date.now() - 86_400_000)];
      await database.query('update accounts set erased_after = $2 where id = $1', ids);
      const cancelled = (): object[] => stripe.requests.filter(({ what }) => what.startsWith('DELETE'));
      await issuing().issueOpen();
      await database.query('insert into billing_marks (account_id, closed_until) values ($1, $2)', ids);
      // It may not be counted yet.
      await issuing().issueOpen();
      expect(cancelled()).toEqual([]);
      await database.query("update invoices set collected_at = now() - interval '25 hours' where account_id = $1", [
        id,
      ]);
      stripe.failing = ({ what }) => what.startsWith('DELETE');
      await expect(issuing().issueOpen()).rejects.toThrow('1 invoices could not be issued');
      stripe.failing = () => false;
      const asked = cancelled().length;
      await issuing().issueOpen();
      await issuing().issueOpen();
      expect(cancelled().slice(asked)).toMatchObject([{ form: { invoice_now: 'true', prorate: 'false' } }]);
      expect(stripe.stored.subscriptions).toMatchObject([{ status: 'canceled' }]);
    });

    it('whose subscription was cancelled at Stripe can be withdrawn', async () => {
      const id = await newAccount();
      await payments().enroll(id);
      Object.assign(stripe.stored.subscriptions[0] ?? {}, { status: 'canceled' });
      await payments().withdraw(id);
      await payments().withdraw(id);
      expect(stripe.requests.filter(({ what }) => what.startsWith('DELETE'))).toHaveLength(1);
    });

    it('that does not exist is not enrolled', async () => {
      await expect(payments().enroll(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
      expect(stripe.requests).toEqual([]);
    });
  });

  describe('an open invoice', () => {
    it('is reported once, in cents', async () => {
      const id = await newAccount();
      const invoice = await newInvoice(id, 1_650);
      await issuing().issueOpen();
      await issuing().issueOpen();
      expect([...stripe.metered]).toEqual([
        [`invoice-${invoice.id}`, { customer: await customerOf(id), value: 1_650 }],
      ]);
      expect(stripe.asked('POST /v1/billing/meter_events')).toHaveLength(1);
    });

    it('is reported once after a lost record, and by concurrent runs', async () => {
      const invoice = await newInvoice(await newAccount(), 400);
      await issuing().issueOpen();
      await database.query('update invoices set collected_at = null where id = $1', [invoice.id]);
      // Stripe's idempotency keys expire before its event identifiers.
      stripe.forget();
      await Promise.all([issuing().issueOpen(), issuing().issueOpen()]);
      expect([...stripe.metered.values()].map(({ value }) => value)).toEqual([400]);
      const { invoice: noted } = await invoices.byNumber(invoice.number);
      expect(noted.collectedAt).toBeInstanceOf(Date);
    });

    it('waits while Stripe fails, without delaying others', async () => {
      const [broken, whole] = [await newAccount(), await newAccount()];
      await payments().enroll(broken);
      const customer = await customerOf(broken);
      await newInvoice(broken, 100);
      await newInvoice(whole, 200);
      stripe.failing = ({ form }) => form['payload[stripe_customer_id]'] === customer;
      await expect(issuing().issueOpen()).rejects.toThrow('1 invoices could not be issued');
      expect([...stripe.metered.values()].map(({ value }) => value)).toEqual([200]);
      stripe.failing = () => false;
      await issuing().issueOpen();
      expect([...stripe.metered.values()].map(({ value }) => value)).toEqual([200, 100]);
    });

    it('is paid when Stripe reports the payment', async () => {
      const id = await newAccount();
      const [first, second, later] = [await newInvoice(id, 700), await newInvoice(id, 300), await newInvoice(id, 700)];
      await issuing().issueOpen();
      await database.query("update invoices set collected_at = now() + interval '40 days' where id = $1", [later.id]);
      const customer = await customerOf(id);
      const paid = { id: 'in_1', customer, currency: 'usd', total: 1_190, total_excluding_tax: 1_000, lines: cycle() };
      await tell('invoice.paid', paid);
      expect(await Promise.all([first, second, later].map(statusOf))).toEqual(['paid', 'paid', 'open']);
      expect((await invoices.byNumber(first.number)).invoice.paymentReference).toBe('Stripe in_1');
      expect(await ledger.balances(id)).toMatchObject({ wallet: 0n, receivable: -700n * CENT, cash: -1_000n * CENT });
      expect(warnings).toEqual([]);
    });

    it('that was voided meanwhile turns the payment into credit', async () => {
      const id = await newAccount();
      const invoice = await newInvoice(id, 500);
      await issuing().issueOpen();
      await invoices.void(invoice.number, true);
      const customer = await customerOf(id);
      await tell('invoice.paid', { id: 'in_2', customer, currency: 'usd', total: 500, lines: cycle() });
      expect(await statusOf(invoice)).toBe('void');
      expect(await ledger.balances(id)).toMatchObject({ wallet: 500n * CENT, cash: -500n * CENT });
      expect(warnings).toHaveLength(1);
    });
  });

  describe('credit', () => {
    const session = (customer: string, more: object = {}) => ({
      id: 'cs_1',
      mode: 'payment',
      payment_status: 'paid',
      customer,
      currency: 'usd',
      amount_subtotal: 2_550,
      ...more,
    });

    it('is bought on a page of Stripe', async () => {
      const id = await newAccount();
      const url = await new TopUps(payments()).begin(id, '25.50');
      expect(url).toMatch(/^https:\/\/checkout\.stripe\.example\/cs_/);
      expect(stripe.stored.sessions).toMatchObject([
        {
          mode: 'payment',
          customer: await customerOf(id),
          'line_items[0][price_data][unit_amount]': '2550',
          'line_items[0][price_data][currency]': 'usd',
          success_url: 'https://gate.example/billing/invoices?top_up=paid',
        },
      ]);
    });

    it.each(['0', '0.99', '10000.01', '1.001', '-5', '99999999999'])('of %s USD cannot be bought', async (amount) => {
      const begun = new TopUps(payments()).begin(await newAccount(), amount);
      await expect(begun).rejects.toMatchObject({ code: 'amount_out_of_range' });
      expect(stripe.requests).toEqual([]);
    });

    it('cannot be bought with manual payments', async () => {
      await expect(new TopUps({ checkout: null }).begin(randomUUID(), '10')).rejects.toMatchObject({
        code: 'top_up_unavailable',
      });
    });

    it('is added once the payment is confirmed, for any number of events', async () => {
      const id = await newAccount();
      await payments().enroll(id);
      const customer = await customerOf(id);
      const one = { id: `cs_${randomUUID()}` };
      await tell('checkout.session.completed', session(customer, { ...one, payment_status: 'unpaid' }));
      expect((await ledger.balances(id)).wallet).toBe(0n);
      await tell('checkout.session.async_payment_succeeded', session(customer, one));
      await tell('checkout.session.completed', session(customer, one));
      expect(await ledger.balances(id)).toMatchObject({ wallet: 2_550n * CENT, cash: -2_550n * CENT });
      expect(new Set(changed)).toEqual(new Set([id]));
    });

    it('is not added for unknown customers and other currencies', async () => {
      const id = await newAccount();
      await payments().enroll(id);
      await tell('checkout.session.completed', session('cus_of_another', { id: 'cs_2' }));
      await tell('checkout.session.completed', session(await customerOf(id), { id: 'cs_3', currency: 'jpy' }));
      expect((await ledger.balances(id)).wallet).toBe(0n);
      expect(warnings).toHaveLength(2);
    });
  });

  describe('an event', () => {
    const event = async (): Promise<{ id: string; object: object }> => {
      const id = await newAccount();
      await payments().enroll(id);
      const customer = await customerOf(id);
      const object = {
        id: `cs_${randomUUID()}`,
        mode: 'payment',
        payment_status: 'paid',
        customer,
        currency: 'usd',
        amount_subtotal: 100,
      };
      return { id, object };
    };

    it('is processed once for repeated and concurrent deliveries', async () => {
      const { id, object } = await event();
      // Each with its own reference: only the event id identifies them.
      const same = `evt_${randomUUID()}`;
      const others = Array.from({ length: 5 }, () => ({ ...object, id: `cs_${randomUUID()}` }));
      await Promise.all(others.map((other) => tell('checkout.session.completed', other, same)));
      expect((await ledger.balances(id)).wallet).toBe(100n * CENT);
    });

    it('that fails is processed again', async () => {
      const { id, object } = await event();
      const same = `evt_${randomUUID()}`;
      await expect(tell('checkout.session.completed', { ...object, amount_subtotal: 'much' }, same)).rejects.toThrow();
      await tell('checkout.session.completed', object, same);
      expect((await ledger.balances(id)).wallet).toBe(100n * CENT);
    });

    it('of an irrelevant type is accepted', async () => {
      await expect(tell('product.created', { id: 'prod_1' })).resolves.toBeUndefined();
    });

    const changes: readonly (readonly [string, (event: SignedEvent, now: number) => [string, string | undefined]])[] = [
      ['without a signature', ({ body }) => [body, undefined]],
      ['with an empty signature', ({ body }) => [body, '']],
      ['whose body was changed', ({ body, signature }) => [body.replace('100', '999'), signature]],
      ['whose time was changed', ({ body, signature }, now) => [body, signature.replace(/t=\d+/, `t=${now + 1}`)]],
    ];
    it.each(changes)('%s is refused', async (_name, change) => {
      const { id, object } = await event();
      const signed = signedEvent(`evt_${randomUUID()}`, 'checkout.session.completed', object);
      const [body, signature] = change(signed, Math.floor(Date.now() / 1_000));
      await expect(receive(body, signature)).rejects.toMatchObject({ code: 'webhook_signature_invalid', status: 400 });
      expect((await ledger.balances(id)).wallet).toBe(0n);
    });

    it.each([
      ['signed by another secret', { secret: 'whsec_other' }],
      ['signed six minutes ago', { at: Date.now() - 360_000 }],
    ])('is rejected if %s', async (_name, how) => {
      const { object } = await event();
      const { body, signature } = signedEvent('evt_1', 'checkout.session.completed', object, how);
      await expect(receive(body, signature)).rejects.toMatchObject({
        code: 'webhook_signature_invalid',
      });
    });
  });
});
