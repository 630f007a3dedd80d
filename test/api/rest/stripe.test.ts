import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ledgerCommand } from '../../../src/cli/ledger.command.ts';
import { FakeStripe, signedEvent, stripeKey, webhookSecret } from '../../harness/fake-stripe.ts';
import { runCommand } from '../../harness/run-command.ts';
import { rowId } from '../../harness/running-database.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});
const topUp =
  'mutation ($amount: Decimal!) { topUp(input: { amount: $amount }) { __typename ... on TopUpCheckout { url } ... on TopUpFailure { code message } } }';
const stripe = new FakeStripe();
let server: ServerProcess;
/** An account of a server without Stripe. */
let manual: TestAccount;
let cookie: string;

beforeAll(async () => {
  const apiBase = await stripe.start();
  [server, manual] = await Promise.all([
    startServer({
      STRIPE_SECRET_KEY: stripeKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: apiBase,
      SLUICE_PUBLIC_URL: 'https://gate.example',
    }),
    newAccount(),
  ]);
  const { email, password } = server;
  const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }';
  ({ cookie } = await ask(server, signIn, {}, { input: { email, password } }));
});

afterAll(async () => {
  await Promise.all([server.dispose(), manual.dispose(), stripe.close()]);
});

interface Place {
  readonly url: string;
}

async function ask(to: Place, query: string, headers: Record<string, string>, variables: object = {}) {
  const response = await fetch(`${to.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return {
    data: data ?? {},
    code: errors?.[0]?.extensions.code ?? null,
    message: errors?.[0]?.message ?? null,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
  };
}

const post = (to: Place, body: string, signature?: string): Promise<Response> =>
  fetch(`${to.url}/webhooks/stripe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signature !== undefined && { 'stripe-signature': signature }) },
    body,
  });

const balance = async (): Promise<string> =>
  (await ask(server, '{ account { balance { amount } } }', { cookie })).data.account.balance.amount;

describe('a server with Stripe', () => {
  it('sells credit, and adds it once after the payment', async () => {
    const { data } = await ask(server, topUp, { cookie }, { amount: '12.50' });
    expect(data.topUp).toMatchObject({
      __typename: 'TopUpCheckout',
      url: expect.stringContaining('https://checkout.'),
    });
    const [session] = stripe.stored.sessions;
    expect(session).toMatchObject({ cancel_url: 'https://gate.example/billing/invoices?top_up=cancelled' });
    const paid = {
      id: session?.id,
      mode: 'payment',
      payment_status: 'paid',
      customer: session?.customer,
      currency: 'usd',
      amount_subtotal: 1_250,
    };
    const { body, signature } = signedEvent('evt_paid', 'checkout.session.completed', paid);
    expect((await post(server, body.replace('1250', '9999'), signature)).status).toBe(400);
    expect((await post(server, body)).status).toBe(400);
    expect(await balance()).toBe('0');
    const taken = await post(server, body, signature);
    expect([taken.status, await taken.json()]).toEqual([200, { received: true }]);
    expect((await post(server, body, signature)).status).toBe(200);
    expect(await balance()).toBe('12.5');
    const charge = stripe.charge('credit', String(session?.customer), 1_250);
    const back = signedEvent('evt_back', 'charge.refunded', { ...charge, amount_refunded: 450 });
    expect((await post(server, back.body, back.signature)).status).toBe(200);
    expect(await balance()).toBe('8');
  });

  it('enrols an account at Stripe that changes to a plan with a fee', async () => {
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }';
    const input = { email: 'grace@example.com', password: 'a long enough password', name: 'Grace' };
    const grace = await ask(server, signUp, {}, { input });
    const change = 'mutation { changePlan(plan: "pro") { pending } }';
    expect((await ask(server, change, { cookie: grace.cookie })).data.changePlan).toEqual({ pending: false });
    await expect.poll(() => stripe.stored.subscriptions.length).toBe(1);
    expect(stripe.stored.customers.at(-1)).toMatchObject({ email: 'grace@example.com' });
  });

  it('shows the amount of the current period', async () => {
    const query = '{ upcomingInvoice { periodStart periodEnd planName total { amount } lines { kind } } }';
    const { data } = await ask(server, query, { cookie });
    expect(data.upcomingInvoice).toMatchObject({ planName: 'Enterprise', total: { amount: '0' }, lines: [] });
  });

  it('does not sell to members without the permission', async () => {
    const key = { authorization: `Bearer ${server.apiKey}` };
    const make = 'mutation { createApiKey(input: { name: "r", scopes: [READ] }) { secret } }';
    const { data } = await ask(server, make, key);
    const reader = { authorization: `Bearer ${data.createApiKey.secret}` };
    expect((await ask(server, topUp, reader, { amount: '5' })).code).toBe('insufficient_scope');
    expect((await ask(server, topUp, {}, { amount: '5' })).code).toBe('unauthenticated');
    expect((await ask(server, topUp, { cookie }, { amount: '0.5' })).data.topUp).toMatchObject({
      code: 'amount_out_of_range',
    });
  });

  describe('a refund that failed', () => {
    const listed = `{ failedRefunds(first: 100) {
      totalCount nodes { refundId accountId accountName amount { amount } reason failedAt }
    } }`;
    const retry = 'mutation ($id: ID!) { retryRefund(id: $id) }';
    const readAccount =
      '{ account { id balance { amount } } auditLog(first: 10) { nodes { action actor { kind } changes { field before after } } } }';

    /** For a separate account: 12 USD of its payment of 20 USD were refunded, and the refund failed. */
    async function failedRefund(name: string): Promise<{ refundId: string; cookie: string; charge: string }> {
      const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }';
      const input = { email: `${name.toLowerCase()}@example.com`, password: 'a long enough password', name };
      const person = await ask(server, signUp, {}, { input });
      await ask(server, topUp, { cookie: person.cookie }, { amount: '20' });
      const charge = stripe.charge('credit', String(stripe.stored.sessions.at(-1)?.customer), 2_000);
      const refundId = `re_${name}`;
      const failed = {
        id: refundId,
        status: 'failed',
        charge: charge.id,
        amount: 1_200,
        currency: 'usd',
        failure_reason: 'expired_or_canceled_card',
      };
      const events = [
        signedEvent(`evt_${name}_1`, 'charge.refunded', { ...charge, amount_refunded: 1_200 }),
        signedEvent(`evt_${name}_2`, 'charge.refund.updated', { ...failed, status: 'pending' }),
        signedEvent(`evt_${name}_3`, 'refund.failed', failed),
        signedEvent(`evt_${name}_4`, 'charge.refund.updated', failed),
      ];
      for (const { body, signature } of events) expect((await post(server, body, signature)).status).toBe(200);
      return { refundId, cookie: person.cookie, charge: charge.id };
    }

    it('is listed for the operator, who can retry it', async () => {
      const { refundId, cookie: theirs, charge } = await failedRefund('Edith');
      const account = (await ask(server, readAccount, { cookie: theirs })).data.account;
      expect(account.balance.amount).toBe('-12');
      const found = (await ask(server, listed, { cookie })).data.failedRefunds;
      expect(found).toEqual({
        totalCount: 1,
        nodes: [
          {
            refundId,
            accountId: account.id,
            accountName: expect.stringContaining('Edith'),
            amount: { amount: '12' },
            reason: 'expired_or_canceled_card',
            failedAt: expect.stringMatching(/^20\d\d-/),
          },
        ],
      });
      stripe.failing = ({ what }) => what === 'POST /v1/refunds';
      expect((await ask(server, retry, { cookie }, { id: refundId })).code).toBe('payment_provider_failed');
      stripe.failing = () => false;
      stripe.declining = ({ what }) => (what === 'POST /v1/refunds' ? 'No funds are left.' : null);
      expect(await ask(server, retry, { cookie }, { id: refundId })).toMatchObject({
        code: 'refund_declined',
        message: 'The payment provider declined the refund: No funds are left.',
      });
      stripe.declining = () => null;
      expect((await ask(server, listed, { cookie })).data.failedRefunds.totalCount).toBe(1);
      const both = await Promise.all([1, 2].map(() => ask(server, retry, { cookie }, { id: refundId })));
      expect(both.map(({ data }) => data.retryRefund)).toEqual([true, true]);
      expect((await ask(server, retry, { cookie }, { id: refundId })).data.retryRefund).toBe(true);
      expect(stripe.stored.refunds).toMatchObject([{ charge, amount: '1200' }]);
      expect((await ask(server, listed, { cookie })).data.failedRefunds).toEqual({ totalCount: 0, nodes: [] });
      const after = (await ask(server, readAccount, { cookie: theirs })).data;
      expect(after.account.balance.amount).toBe('-12');
      const told = after.auditLog.nodes.filter(({ action }: { action: string }) => action === 'account.refund_retried');
      expect(told).toEqual([
        {
          action: 'account.refund_retried',
          actor: { kind: 'USER' },
          changes: [
            { field: 'amount', before: null, after: '12 USD' },
            { field: 'refund', before: refundId, after: stripe.stored.refunds[0]?.id },
          ],
        },
      ]);
    });

    it('is not made twice if the server stopped before it was recorded', async () => {
      const { refundId, charge } = await failedRefund('Emmy');
      const made = { charge, amount: '1200', 'metadata[sluice_retry_of]': refundId };
      stripe.stored.refunds.push({ id: 're_made_before', ...made });
      expect((await ask(server, retry, { cookie }, { id: refundId })).data.retryRefund).toBe(true);
      expect(stripe.stored.refunds.filter((each) => each.charge === charge)).toHaveLength(1);
    });

    it('is no longer listed after a manual credit', async () => {
      const { refundId, cookie: theirs } = await failedRefund('Ida');
      const account = rowId((await ask(server, readAccount, { cookie: theirs })).data.account.id);
      const credit = ['top-up', '12', '--account', account, '--reference', `refund ${refundId}`];
      expect(await runCommand('ledger', ledgerCommand, server.database, credit)).toMatchObject({ code: 0 });
      expect((await ask(server, listed, { cookie })).data.failedRefunds.totalCount).toBe(0);
      expect((await ask(server, retry, { cookie }, { id: refundId })).code).toBe('not_found');
    });

    it('is visible to the operator only, who alone can retry it', async () => {
      const { refundId, cookie: theirs } = await failedRefund('Olga');
      const key = { authorization: `Bearer ${server.apiKey}` };
      for (const caller of [{ cookie: theirs }, key]) {
        expect((await ask(server, listed, caller)).code).toBe('forbidden');
        expect((await ask(server, retry, caller, { id: refundId })).code).toBe('forbidden');
      }
      expect((await ask(server, retry, { cookie }, { id: 're_of_nobody' })).code).toBe('not_found');
      expect(stripe.stored.refunds.filter((each) => each['metadata[sluice_retry_of]'] === refundId)).toEqual([]);
    });
  });

  it('accepts only a signed POST of limited size', async () => {
    const { signature } = signedEvent('evt_x', 'product.created', {});
    expect((await post(server, 'x'.repeat(1024 * 1024 + 1), signature)).status).toBe(413);
    expect((await fetch(`${server.url}/webhooks/stripe`)).status).toBe(405);
    expect((await post(server, '', signature)).status).toBe(400);
    expect(server.output()).not.toContain(stripeKey);
    expect(server.output()).not.toContain(webhookSecret);
  });
});

describe('a server without', () => {
  it('has no webhook route, and explains why it sells no credit', async () => {
    const { body, signature } = signedEvent('evt_paid', 'checkout.session.completed', {}, { secret: 'whsec_' });
    expect((await post(manual, body, signature)).status).toBe(404);
    const { data } = await ask(manual, topUp, { cookie: manual.cookie }, { amount: '5' });
    expect(data.topUp).toMatchObject({ __typename: 'TopUpFailure', code: 'top_up_unavailable' });
  });
});
