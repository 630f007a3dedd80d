import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { setRole } from '../../harness/running-database.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { signUp as signUpAt } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string(), param: z.string().optional() }) }))
    .optional(),
});

const planFields = `id name period fee { amount currency } allowance { amount } overage markup retentionDays capabilities models offered
  limits { requestsPerMinute tokensPerMinute requestsPerDay concurrency apiKeys }
  accountLimits { requestsPerMinute tokensPerMinute requestsPerDay concurrency }`;
const accountFields = `timeZone plan { ${planFields} } period { start end } pendingPlan { at plan { id } }`;
const change = `mutation ($plan: ID!) {
  changePlan(plan: $plan) { from { id } to { id } at pending amount { amount currency } account { ${accountFields} } }
}`;
const update = `mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { name ${accountFields} } }`;
const config = (proMarkup: number): string => `
signup_spending: allow
plans:
  free: { requests_per_minute: 11, capabilities: [chat], concurrency: 5, api_keys: 3 }
  pro: { requests_per_minute: 222, markup: ${proMarkup} }
  enterprise: { monthly_fee: 200, allowance: 200, offered: true }
  secret: { offered: false, account_limits: { requests_per_minute: 9 } }
`;

describe('plans through GraphQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  const file = join(folder, 'sluice.yaml');
  let server: ServerProcess;
  let provider: FakeProvider;

  beforeAll(async () => {
    provider = await startFakeProvider(
      completion({ usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 } }),
    );
    writeFileSync(file, config(10));
    server = await startServer({
      TRUST_PROXY_HOPS: '1',
      SLUICE_CONFIG: file,
      OPENAI_API_KEY: 'provider-key',
      OPENAI_BASE_URL: provider.url,
    });
  });

  afterAll(async () => {
    await server.dispose();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });

  type Caller = Readonly<Record<string, string>>;

  async function ask(caller: Caller, query: string, variables: object = {}) {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    return {
      data: data ?? {},
      code: errors?.[0]?.extensions.code ?? null,
      param: errors?.[0]?.extensions.param ?? null,
      cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    };
  }

  interface Person {
    readonly email: string;
    readonly password: string;
    readonly caller: Caller;
  }

  async function signUp(): Promise<Person> {
    const { email, password, cookie } = await signUpAt(server.url);
    return { email, password, caller: { cookie } };
  }

  async function keyOf(caller: Caller, scopes = ['INFERENCE']): Promise<{ client: OpenAI; secret: string }> {
    const made = await ask(caller, 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }', {
      input: { name: 'k', scopes, ...(scopes.includes('MANAGE') && { role: 'OWNER' }) },
    });
    const { secret } = made.data.createApiKey;
    return { secret, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: secret, maxRetries: 0 }) };
  }

  async function headersOf(client: OpenAI): Promise<Record<string, string | null>> {
    const { response } = await client.chat.completions
      .create({ model: 'openai/gpt-5', messages: [{ role: 'user', content: 'Hello' }], max_completion_tokens: 100 })
      .withResponse();
    const [requests, cost] = ['x-ratelimit-limit-requests', 'x-sluice-cost'].map((name) => response.headers.get(name));
    return { requests: requests ?? null, cost: cost ?? null };
  }

  it('limit the number of keys, also for concurrent requests', async () => {
    const { caller } = await signUp();
    const create = 'mutation { createApiKey(input: { name: "k" }) { apiKey { id } } }';
    const made = await Promise.all(Array.from({ length: 6 }, () => ask(caller, create)));
    expect(made.map(({ code }) => code).toSorted()).toEqual(
      [...Array.from({ length: 3 }, () => null), ...Array.from({ length: 3 }, () => 'too_many_api_keys')].toSorted(),
    );
    const id = made.find(({ code }) => code === null)?.data.createApiKey.apiKey.id;
    expect((await ask(caller, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id })).code).toBeNull();
    expect((await ask(caller, create)).code).toBeNull();
    expect((await ask(caller, create)).code).toBe('too_many_api_keys');
    expect((await ask(caller, '{ account { plan { limits { apiKeys } } } }')).data.account.plan.limits.apiKeys).toBe(3);
  });

  it('apply the default plan to new accounts', async () => {
    const { caller } = await signUp();
    const { data } = await ask(caller, `{ account { createdAt ${accountFields} } plans { ${planFields} } }`);
    expect(data.account).toMatchObject({
      timeZone: 'UTC',
      pendingPlan: null,
      plan: {
        id: 'free',
        name: 'Free',
        period: 'THIRTY_DAYS',
        fee: { amount: '0', currency: 'USD' },
        limits: { requestsPerMinute: 11, concurrency: 5 },
        accountLimits: null,
        capabilities: ['chat'],
        models: null,
        overage: 'REFUSE',
        markup: '0',
      },
    });
    const { start, end } = data.account.period;
    expect(start).toBe(data.account.createdAt);
    expect(Date.parse(end) - Date.parse(start)).toBe(30 * 86_400_000);
    expect(data.plans.map(({ id }: { id: string }) => id)).toEqual(['free', 'pro', 'enterprise']);
    expect(data.plans[1]).toMatchObject({ period: 'MONTH', fee: { amount: '20' }, overage: 'BILL', markup: '10' });
    expect(data.plans[1].capabilities).toBeNull();
  });

  it('limit each key separately and all keys of an account together', async () => {
    const { caller } = await signUp();
    const [one, another] = [(await keyOf(caller)).client, (await keyOf(caller)).client];
    const remaining = async (client: OpenAI) => {
      const messages = [{ role: 'user' as const, content: 'Hello' }];
      const { response } = await client.chat.completions.create({ model: 'sandbox/chat', messages }).withResponse();
      return response.headers.get('x-ratelimit-remaining-requests');
    };
    expect([await remaining(one), await remaining(one), await remaining(another)]).toEqual(['10', '9', '10']);
  });

  it('set the first owner’s plan to Enterprise', async () => {
    const caller = { authorization: `Bearer ${server.apiKey}` };
    expect((await ask(caller, '{ account { plan { id } } }')).data.account.plan.id).toBe('enterprise');
  });

  it('apply to keys in use from the next request', async () => {
    const { caller } = await signUp();
    const { client } = await keyOf(caller);
    const embed = () => client.embeddings.create({ model: 'sandbox/embedding', input: 'a' });
    expect(await headersOf(client)).toEqual({ requests: '11', cost: '0.00225' });
    await expect(embed()).rejects.toMatchObject({ status: 403, code: 'capability_not_in_plan' });
    const { data } = await ask(caller, change, { plan: 'pro' });
    expect(data.changePlan).toMatchObject({
      from: { id: 'free' },
      to: { id: 'pro' },
      pending: false,
      account: { plan: { id: 'pro' }, pendingPlan: null, period: { start: data.changePlan.at } },
    });
    const due = Number(data.changePlan.amount.amount);
    expect(due).toBeGreaterThan(0);
    expect(due).toBeLessThanOrEqual(20);
    expect(await headersOf(client)).toEqual({ requests: '222', cost: '0.002475' });
    expect((await embed()).data).toHaveLength(1);
    const log = `{ usageLogs(first: 10) { nodes { model cost { amount } explanation { label unit quantity amount { amount } } } } }`;
    await expect
      .poll(async () => (await ask(caller, log)).data.usageLogs.nodes)
      .toContainEqual({
        model: 'openai/gpt-5',
        cost: { amount: '0.002475' },
        explanation: [
          { label: 'input tokens', unit: 'token', quantity: '1000', amount: { amount: '0.00125' } },
          { label: 'output tokens', unit: 'token', quantity: '100', amount: { amount: '0.001' } },
          { label: 'mark-up', unit: 'percent', quantity: '10', amount: { amount: '0.000225' } },
        ],
      });
  });

  it('prorate the allowance of a period in which they started', async () => {
    const { caller } = await signUp();
    const preview = `query ($plan: ID!) { planChangePreview(plan: $plan) {
      at pending renewsAt canReturn amount { amount } includedUsage { amount } from { id } to { id }
    } }`;
    const included = async (): Promise<string> =>
      (await ask(caller, '{ account { includedUsage { amount } } }')).data.account.includedUsage.amount;
    expect(await included()).toBe('1');
    const before = (await ask(caller, preview, { plan: 'pro' })).data.planChangePreview;
    expect(before).toMatchObject({ pending: false, canReturn: true, from: { id: 'free' }, to: { id: 'pro' } });
    expect(await included()).toBe('1');
    const { at, amount, account } = (await ask(caller, change, { plan: 'pro' })).data.changePlan;
    expect(before.renewsAt).toBe(account.period.end);
    // Pro's allowance is as large as its fee: of both the same part is left, and it shrinks by the second.
    expect(await included()).toBe(amount.amount);
    const month = Date.parse(account.period.end) - Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth());
    const left = (20 * (Date.parse(account.period.end) - Date.parse(at))) / month;
    expect(Number(amount.amount)).toBeCloseTo(left, 3);
    expect(before.includedUsage.amount).toBe(before.amount.amount);
    expect(Number(before.amount.amount)).toBeGreaterThanOrEqual(Number(amount.amount));
    const down = (await ask(caller, preview, { plan: 'free' })).data.planChangePreview;
    expect(down).toMatchObject({ pending: true, at: account.period.end, includedUsage: { amount: '1' } });
    expect((await ask(caller, preview, { plan: 'secret' })).code).toBe('plan_not_offered');
  });

  it('return the default limits of a key, also when the account has none', async () => {
    const { caller } = await signUp();
    const { data } = await ask(
      caller,
      '{ plans { id limits { requestsPerMinute } defaultKeyLimits { requestsPerMinute tokensPerMinute requestsPerDay concurrency } } }',
    );
    expect(data.plans).toMatchObject([
      { id: 'free', defaultKeyLimits: { requestsPerMinute: 11, concurrency: 5 } },
      { id: 'pro', defaultKeyLimits: { requestsPerMinute: 222 } },
      {
        id: 'enterprise',
        limits: { requestsPerMinute: null },
        defaultKeyLimits: {
          requestsPerMinute: 10_000,
          tokensPerMinute: 10_000_000,
          requestsPerDay: null,
          concurrency: 1_000,
        },
      },
    ]);
    expect(
      (
        await ask(
          { authorization: `Bearer ${server.apiKey}` },
          '{ account { plan { defaultKeyLimits { requestsPerMinute } } } }',
        )
      ).data.account.plan.defaultKeyLimits.requestsPerMinute,
    ).toBe(10_000);
  });

  it('apply configuration changes to keys in use', async () => {
    const { caller } = await signUp();
    const { client } = await keyOf(caller);
    await ask(caller, change, { plan: 'pro' });
    expect((await headersOf(client)).cost).toBe('0.002475');
    writeFileSync(file, config(20));
    await expect.poll(async () => (await headersOf(client)).cost, { interval: 100 }).toBe('0.0027');
    writeFileSync(file, config(10));
    await expect.poll(async () => (await headersOf(client)).cost, { interval: 100 }).toBe('0.002475');
  });

  it('downgrade at the end of the period unless cancelled', async () => {
    const { caller } = await signUp();
    await ask(caller, change, { plan: 'enterprise' });
    await ask(caller, update, { input: { timeZone: 'Asia/Kathmandu' } });
    const down = (await ask(caller, change, { plan: 'free' })).data.changePlan;
    expect(down).toMatchObject({ pending: true, amount: { amount: '0' }, account: { plan: { id: 'enterprise' } } });
    expect(down.at).toBe(down.account.period.end);
    expect(down.at).toMatch(/T18:15:00.000Z$/);
    expect(down.account.pendingPlan).toEqual({ at: down.at, plan: { id: 'free' } });
    const { data } = await ask(caller, 'mutation { cancelPlanChange { plan { id } pendingPlan { at } } }');
    expect(data.cancelPlanChange).toEqual({ plan: { id: 'enterprise' }, pendingPlan: null });
  });

  it('reject an unknown plan, a plan that is not offered and an invalid time zone', async () => {
    const { caller } = await signUp();
    expect(await ask(caller, change, { plan: 'gold' })).toMatchObject({ code: 'bad_user_input', param: 'plan' });
    expect((await ask(caller, change, { plan: 'secret' })).code).toBe('plan_not_offered');
    for (const timeZone of ['Nowhere/Land', '', '\u0000', 'x'.repeat(10_000)])
      expect(await ask(caller, update, { input: { timeZone } })).toMatchObject({
        code: 'bad_user_input',
        param: 'timeZone',
      });
    const { data } = await ask(caller, update, { input: { name: 'Ours' } });
    expect(data.updateAccount).toMatchObject({ name: 'Ours', timeZone: 'UTC', plan: { id: 'free' } });
  });

  it('can be changed only by owners and keys with the owner role', async () => {
    const { caller, email, password } = await signUp();
    const reader = { authorization: `Bearer ${(await keyOf(caller, ['READ'])).secret}` };
    const manager = { authorization: `Bearer ${(await keyOf(caller, ['READ', 'MANAGE'])).secret}` };
    expect((await ask(reader, change, { plan: 'pro' })).code).toBe('insufficient_scope');
    expect((await ask({}, change, { plan: 'pro' })).code).toBe('unauthenticated');
    expect((await ask(manager, change, { plan: 'pro' })).data.changePlan.account.plan.id).toBe('pro');
    await setRole(server.database, email, 'admin');
    const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }';
    const { cookie } = await ask({}, signIn, { input: { email, password } });
    for (const who of [{ cookie }, manager]) {
      // Who is a member is asked again within a second.
      await expect.poll(async () => (await ask(who, 'mutation { cancelPlanChange { id } }')).code).toBe('forbidden');
      expect((await ask(who, change, { plan: 'enterprise' })).code).toBe('forbidden');
      expect((await ask(who, 'mutation { cancelPlanChange { plan { id } } }')).code).toBe('forbidden');
      expect((await ask(who, update, { input: { timeZone: 'Europe/Berlin' } })).code).toBe('forbidden');
      expect((await ask(who, '{ account { plan { id } timeZone } }')).data.account).toEqual({
        plan: { id: 'pro' },
        timeZone: 'UTC',
      });
    }
  });
});
