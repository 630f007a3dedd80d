import { randomUUID } from 'node:crypto';
import OpenAI, { APIError } from 'openai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnEachDatabase } from '../harness/databases.ts';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { FakeStripe, signedEvent, stripeKey, webhookSecret } from '../harness/fake-stripe.ts';
import { startServerOn } from '../harness/server-on-database.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const MAX_TOKENS = 100;
/** At a dollar per million tokens of output, a request costs a hundredth of a cent: the allowance has room for three. */
const yaml = `
signup_spending: allow
models:
  openai/priced: { input: "0", output: "1", max_output_tokens: 100000 }
plans:
  free: { allowance: "0.0003" }
`;
const refusal = "The account's allowance for this period and its balance do not cover the maximum cost of this request";
const answerSchema = z.object({ data: z.record(z.string(), z.any()) });

describeOnEachDatabase('an account on a plan without a fee', (databases) => {
  const stripe = new FakeStripe();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-allowance-'));
  let provider: FakeProvider;
  let server: ServerProcess;

  beforeAll(async () => {
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, yaml);
    const usage = { prompt_tokens: 3, completion_tokens: MAX_TOKENS, total_tokens: MAX_TOKENS + 3 };
    provider = await startFakeProvider(completion({ usage }));
    server = await startServerOn(databases, {
      SLUICE_CONFIG: config,
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: provider.url,
      STRIPE_SECRET_KEY: stripeKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: await stripe.start(),
    });
  });

  afterAll(async () => {
    await server.dispose();
    await provider.close();
    await stripe.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function graphql(headers: Record<string, string>, query: string, variables: object = {}) {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data } = answerSchema.parse(await response.json());
    return { data, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  }

  /** Somebody new, with a key of their own. */
  async function signUp(): Promise<{ cookie: string; secret: string }> {
    const input = { email: `${randomUUID()}@example.com`, password: 'correct horse battery', name: 'New' };
    const { cookie } = await graphql({}, 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }', {
      input,
    });
    const { data } = await graphql({ cookie }, 'mutation { createApiKey(input: { name: "k" }) { secret } }');
    return { cookie, secret: data.createApiKey.secret };
  }

  const ask = (apiKey: string, model = 'openai/priced'): Promise<OpenAI.Chat.ChatCompletion> =>
    new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 5 }).chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: MAX_TOKENS,
    });

  const outcome = (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => 'ok',
      (error: unknown) => {
        if (!(error instanceof APIError)) throw error;
        expect(error.message).toContain(refusal);
        expect(error.headers?.get('x-should-retry')).toBe('false');
        return [error.status, error.code];
      },
    );

  const outcomes = (apiKey: string, count: number): Promise<unknown[]> =>
    Promise.all(Array.from({ length: count }, () => outcome(ask(apiKey))));

  const refused = [429, 'insufficient_quota'];

  it('spends what the plan includes and what it paid for, and no more', async () => {
    const { cookie, secret } = await signUp();
    const told = await outcomes(secret, 50);
    expect(told.filter((each) => each === 'ok')).toHaveLength(3);
    expect(told.filter((each) => each !== 'ok')).toEqual(Array.from({ length: 47 }, () => refused));
    expect(await outcome(ask(secret, 'sandbox/chat'))).toBe('ok');
    expect(await outcomes(server.apiKey, 5)).toEqual(Array.from({ length: 5 }, () => 'ok'));
    expect((await signUp().then((other) => outcomes(other.secret, 3))).every((each) => each === 'ok')).toBe(true);
    // What was spent is known to the next process.
    await server.end('SIGKILL');
    server = await server.restart();
    expect(await outcome(ask(secret))).toEqual(refused);
    // Once it has paid, there is room again, at once.
    await graphql({ cookie }, 'mutation { topUp(input: { amount: "1" }) { __typename } }');
    const session = stripe.stored.sessions.at(-1);
    const { body, signature } = signedEvent('evt_paid', 'checkout.session.completed', {
      id: session?.id,
      mode: 'payment',
      payment_status: 'paid',
      customer: session?.customer,
      currency: 'usd',
      amount_subtotal: 100,
    });
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    expect((await fetch(`${server.url}/webhooks/stripe`, { method: 'POST', headers, body })).status).toBe(200);
    expect(await outcomes(secret, 10)).toEqual(Array.from({ length: 10 }, () => 'ok'));
  });

  it('has a bill in place of a bound once its plan has a fee', async () => {
    const { cookie, secret } = await signUp();
    expect((await outcomes(secret, 5)).filter((each) => each === 'ok')).toHaveLength(3);
    await graphql({ cookie }, 'mutation { changePlan(plan: "pro") { pending } }');
    expect(await outcomes(secret, 5)).toEqual(Array.from({ length: 5 }, () => 'ok'));
  });
});
