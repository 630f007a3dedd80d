import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, signIn, visit, type SharedBrowser } from '../harness/chromium.ts';
import { FakeStripe, signedEvent, stripeKey, webhookSecret } from '../harness/fake-stripe.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { signUp } from '../harness/shared-server.ts';
import { expectReadable } from './looks.ts';

describe.skipIf(chromiumPath === null)('refunds that failed', () => {
  const stripe = new FakeStripe();
  let server: ServerProcess;
  let browser: SharedBrowser;

  beforeAll(async () => {
    const apiBase = await stripe.start();
    server = await startServer({
      STRIPE_SECRET_KEY: stripeKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: apiBase,
      // The sign-ups of this test come from remote addresses.
      TRUST_PROXY_HOPS: '1',
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
    await stripe.close();
  });

  /** Stripe's event for a failed refund of a payment by another account. */
  async function failRefund(): Promise<void> {
    const { cookie } = await signUp(server.url, { email: 'grace@example.com', name: 'Grace' });
    const query = 'mutation { topUp(input: { amount: "20" }) { __typename } }';
    await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ query }),
    });
    const charge = stripe.charge('credit', String(stripe.stored.sessions.at(-1)?.customer), 2_000);
    const refund = { id: 're_3Pq', status: 'failed', charge: charge.id, amount: 1_250, currency: 'usd' };
    const { body, signature } = signedEvent('evt_failed', 'refund.failed', {
      ...refund,
      failure_reason: 'expired_or_canceled_card',
    });
    const told = await fetch(`${server.url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body,
    });
    expect(told.status).toBe(200);
  }

  it('are listed under Settings, each with one action', async () => {
    await failRefund();
    const { page, errors, close } = await visit(browser, server.url);
    await signIn(page, server);
    await page.goto('/settings?tab=account');
    const list = page.getByRole('list', { name: 'Failed refunds' });
    await list.getByText('re_3Pq').waitFor();
    expect(await list.getByText('expired or canceled card').count()).toBe(1);
    await list.scrollIntoViewIfNeeded();
    await expectReadable(page, 'failed-refunds');
    await page.getByRole('button', { name: 'Retry refund of $12.50 to Grace' }).click();
    await list.waitFor({ state: 'detached' });
    expect(stripe.stored.refunds).toMatchObject([{ amount: '1250' }]);
    expect(errors).toEqual([]);
    await close();
  });
});
