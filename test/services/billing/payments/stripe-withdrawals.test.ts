import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/database/database.ts';
import { InvoicesService } from '../../../../src/services/billing/invoices/invoices.service.ts';
import { verifyLedger } from '../../../../src/services/billing/ledger-check.ts';
import { Ledger } from '../../../../src/services/billing/ledger.ts';
import { connectStripe } from '../../../../src/services/billing/payments/connect-stripe.ts';
import { storeCustomer } from '../../../../src/services/billing/payments/payment-customers.ts';
import { describeWithDatabase } from '../../../harness/databases.ts';
import { FakeStripe, signedEvent, stripeKey, webhookSecret } from '../../../harness/fake-stripe.ts';

const CENT = 10_000_000n;

describeWithDatabase('refunds and disputes at Stripe', (databases) => {
  let database: Database;
  let ledger: Ledger;
  let stripe: FakeStripe;
  let apiBase: string;
  let warnings: object[];
  let changed: string[];
  let accountId: string;
  let customer: string;

  beforeAll(async () => {
    database = await databases.open();
    ledger = new Ledger(database);
  });

  beforeEach(async () => {
    stripe = new FakeStripe();
    apiBase = await stripe.start();
    warnings = [];
    changed = [];
    accountId = randomUUID();
    customer = `cus_${randomUUID()}`;
    await storeCustomer(database, accountId, customer);
  });

  afterEach(async () => {
    await stripe.close();
    expect((await verifyLedger(database)).faults).toEqual([]);
  });

  const tell = async (type: string, object: object, id = `evt_${randomUUID()}`): Promise<void> => {
    const { webhook } = connectStripe({
      database,
      ledger,
      invoices: new InvoicesService(database, ledger),
      secretKey: stripeKey,
      apiBase,
      webhookSecret,
      publicUrl: 'https://gate.example',
      balanceChanged: async (account) => void changed.push(account),
      log: { warn: (fields) => void warnings.push(fields) },
    });
    const { body, signature } = signedEvent(id, type, object);
    await webhook?.receive(Buffer.from(body), signature);
  };

  const topUp = (cents: number) =>
    ledger.topUp({ accountId, amountNano: BigInt(cents) * CENT, reference: randomUUID() });
  const cents = async (): Promise<bigint> => (await ledger.balances(accountId)).wallet / CENT;
  const posted = async () =>
    (
      await database.query<{ kind: string }>('select kind from ledger_postings where account_id = $1 order by id', [
        accountId,
      ])
    ).map(({ kind }) => kind);
  const dispute = (charge: string | object, amount: number, currency = 'usd') => ({
    id: `du_${randomUUID()}`,
    charge,
    amount,
    currency,
  });
  /** The same dispute, with part of the withdrawn amount returned. */
  const back = <T extends { amount: number }>(told: T, returned = told.amount) => ({
    ...told,
    balance_transactions: [{ amount: -told.amount }, { amount: returned }],
  });
  const withdrawn = 'charge.dispute.funds_withdrawn';
  const reinstated = 'charge.dispute.funds_reinstated';

  describe('a refund', () => {
    it('is deducted from the wallet, one part after another', async () => {
      await topUp(2_500);
      const charge = stripe.charge('credit', customer, 2_500);
      await tell('charge.refunded', { ...charge, amount_refunded: 1_000 });
      expect(await ledger.balances(accountId)).toMatchObject({ wallet: 1_500n * CENT, cash: -1_500n * CENT });
      await tell('charge.refunded', { ...charge, amount_refunded: 2_500 });
      expect(await ledger.balances(accountId)).toMatchObject({ wallet: 0n, cash: 0n });
      expect(await posted()).toEqual(['top_up', 'withdrawal', 'withdrawal']);
      expect(changed).toEqual([accountId, accountId]);
      expect(warnings).toEqual([]);
    });

    it('is posted once for repeated and concurrent events', async () => {
      await topUp(2_500);
      const charge = { ...stripe.charge('credit', customer, 2_500), amount_refunded: 700 };
      const same = `evt_${randomUUID()}`;
      await tell('charge.refunded', charge, same);
      await tell('charge.refunded', charge, same);
      await Promise.all(Array.from({ length: 4 }, () => tell('charge.refunded', charge)));
      expect(await cents()).toBe(1_800n);
      expect(changed).toEqual([accountId]);
    });

    it('equals the latest reported total, in any order of events', async () => {
      await topUp(2_500);
      const charge = stripe.charge('credit', customer, 2_500);
      const parts = [1_500, 400, 2_100, 900];
      await Promise.all(parts.map((part) => tell('charge.refunded', { ...charge, amount_refunded: part })));
      expect(await cents()).toBe(400n);
      await tell('charge.refunded', { ...charge, amount_refunded: 100 });
      expect(await cents()).toBe(400n);
    });

    it('of one charge is independent of others', async () => {
      await topUp(2_000);
      for (const paid of ['credit', 'invoice'] as const)
        await tell('charge.refunded', { ...stripe.charge(paid, customer, 1_000), amount_refunded: 300 });
      expect(await cents()).toBe(1_400n);
    });

    it('is posted if it is reported before the payment', async () => {
      await tell('charge.refunded', { ...stripe.charge('credit', customer, 500), amount_refunded: 500 });
      expect(await cents()).toBe(-500n);
      await topUp(500);
      expect(await cents()).toBe(0n);
    });

    it('that fails requires manual review', async () => {
      await tell('charge.refund.updated', { id: 're_1', status: 'succeeded' });
      expect(warnings).toEqual([]);
      await tell('charge.refund.updated', { id: 're_1', status: 'failed' });
      await tell('refund.failed', { id: 're_1', status: 'failed' });
      expect(warnings).toMatchObject([{ refund: 're_1' }, { refund: 're_1' }]);
      expect(await posted()).toEqual([]);
    });

    it('is retried if Stripe is unavailable', async () => {
      const charge = { ...stripe.charge('credit', customer, 500), amount_refunded: 200 };
      const same = `evt_${randomUUID()}`;
      stripe.failing = () => true;
      const failed = { code: 'payment_provider_failed' };
      await expect(tell('charge.refunded', charge, same)).rejects.toMatchObject(failed);
      stripe.failing = () => false;
      await tell('charge.refunded', charge, same);
      expect(await cents()).toBe(-200n);
    });
  });

  describe('a dispute', () => {
    it('is deducted from the wallet, and added back once if it is won', async () => {
      await topUp(2_500);
      const told = dispute(stripe.charge('credit', customer, 2_500).id, 2_500);
      await tell('charge.dispute.created', told);
      expect([await cents(), warnings.length]).toEqual([2_500n, 1]);
      for (let time = 0; time < 2; time++) await tell(withdrawn, told);
      expect(await cents()).toBe(0n);
      for (let time = 0; time < 2; time++) await tell(reinstated, back(told));
      expect(await ledger.balances(accountId)).toMatchObject({ wallet: 2_500n * CENT, cash: -2_500n * CENT });
      expect(await posted()).toEqual(['top_up', 'withdrawal', 'reinstatement']);
      expect(changed).toEqual([accountId, accountId]);
    });

    it('that is reported as won before it is opened has no effect', async () => {
      const told = dispute(stripe.charge('invoice', customer, 900).id, 900);
      await tell(reinstated, back(told));
      await tell(withdrawn, told);
      expect(await cents()).toBe(0n);
      expect(await posted()).toEqual(['withdrawal', 'reinstatement']);
    });

    it('returns no more than was withdrawn', async () => {
      const told = dispute(stripe.charge('credit', customer, 900).id, 400);
      await tell(withdrawn, told);
      await tell(reinstated, back(told, 900));
      expect(await cents()).toBe(0n);
    });

    it('returns no more than Stripe returned: of a lost one, what had been refunded', async () => {
      await topUp(2_500);
      const charge = stripe.charge('credit', customer, 2_500);
      await tell('charge.refunded', { ...charge, amount_refunded: 500 });
      const told = dispute(charge.id, 2_500);
      await tell(withdrawn, told);
      expect(await cents()).toBe(-500n);
      await tell(reinstated, { ...back(told, 500), status: 'lost' });
      expect(await cents()).toBe(0n);
    });

    it('without a returned amount requires manual review', async () => {
      await topUp(900);
      const told = dispute(stripe.charge('credit', customer, 900).id, 900);
      await tell(withdrawn, told);
      await tell(reinstated, { ...told, balance_transactions: [{ amount: -900 }] });
      expect(warnings).toMatchObject([{ dispute: told.id }]);
      expect(await cents()).toBe(0n);
    });

    it('is posted with an expanded charge, and together with refunds', async () => {
      const charge = stripe.charge('credit', customer, 900);
      await tell('charge.refunded', { ...charge, amount_refunded: 200 });
      await tell(withdrawn, dispute(charge, 700));
      expect(await cents()).toBe(-900n);
      expect(stripe.requests.filter(({ what }) => what.includes('/charges/'))).toEqual([]);
    });
  });

  describe('nothing is posted', () => {
    const both = async (charge: { id: string }, currency = 'usd'): Promise<void> => {
      await tell('charge.refunded', { ...charge, amount_refunded: 500 });
      await tell(withdrawn, dispute(charge.id, 500, currency));
      expect(await posted()).toEqual([]);
      expect(warnings).toMatchObject([{ charge: charge.id }, { charge: charge.id }]);
    };

    it('for an unknown customer', () => both(stripe.charge('credit', 'cus_of_another', 500)));
    it('in another currency', () => both(stripe.charge('credit', customer, 500, 'jpy'), 'jpy'));
    it('for a payment that is not recorded here', () => both(stripe.charge(null, customer, 500)));

    it('for a charge that Stripe does not know', async () => {
      const told = tell(withdrawn, dispute('ch_none', 500));
      await expect(told).rejects.toMatchObject({ code: 'payment_provider_failed' });
    });
  });
});
