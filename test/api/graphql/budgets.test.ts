import { randomUUID } from 'node:crypto';
import { createClient, type Client } from 'graphql-ws';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { chunk, completion, pieces, type FakeProvider, type ReceivedRequest } from '../../harness/fake-provider.ts';
import { operator } from '../../harness/operator.ts';
import { signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;
/** Where alerts are told. */
let outside: FakeProvider;

beforeAll(async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 };
  const streamed = [chunk({ content: 'Hello' }), chunk({}, 'stop', { usage }), 'data: [DONE]\n\n'];
  const operated = await operator();
  operated.provider.answerWith((request, response) =>
    (request.json.stream === true ? pieces(streamed, 'end') : completion({ usage }))(request, response),
  );
  ({ outside } = operated);
  account = await operated.newAccount();
});

afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

interface Caller {
  readonly headers: Readonly<Record<string, string>>;
}

const withKey = (secret: string): Caller => ({ headers: { authorization: `Bearer ${secret}` } });
const owner = (): Caller => withKey(account.apiKey);

async function ask(caller: Caller, query: string, variables: object = {}) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...caller.headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

/** A new user, signed in, with an account of their own. */
async function signUp(): Promise<Caller> {
  const { cookie } = await signUpAt(account.url);
  return { headers: { cookie } };
}

const fields = `id subject amount { amount currency } period periodStart periodEnd spent { amount } reserved { amount }
  remaining { amount } alertAt apiKey { id name } member { id email }`;
const createKey = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id budget { ${fields} } } } }`;
const updateKey = `mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id name budget { ${fields} } } }`;
const setBudget = `mutation ($input: SetBudgetInput!) { setBudget(input: $input) { ${fields} } }`;
const removeBudget = 'mutation ($id: ID!) { removeBudget(id: $id) }';
const allBudgets = `{ budgets { ${fields} } account { budgets { id } } }`;

function chat(secret: string, maxTokens = 100): Promise<OpenAI.Chat.ChatCompletion> {
  return new OpenAI({ baseURL: `${account.url}/v1`, apiKey: secret, maxRetries: 0 }).chat.completions.create({
    model: 'openai/priced',
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: maxTokens,
  });
}

/** As the official client takes them. */
function headersOf({ headers }: ReceivedRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** A socket of this caller's. */
function socketOf({ headers }: Caller): Client {
  return createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: class extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { headers: { ...headers } });
      }
    },
    connectionParams: headers.authorization === undefined ? {} : { authorization: headers.authorization },
    retryAttempts: 0,
  });
}

/** Runs a chat through GraphQL. @returns all that was told of it */
async function completionOf(caller: Caller): Promise<string> {
  const socket = socketOf(caller);
  const query = `subscription ($messages: JSON!, $parameters: JSON) {
    completion(input: { clientRequestId: "${randomUUID()}", model: "openai/priced", messages: $messages, parameters: $parameters }) {
      ... on CompletionFinished { cost { amount } }
      ... on CompletionFailed { code }
    }
  }`;
  const variables = { messages: [{ role: 'user', content: 'Hello' }], parameters: { max_tokens: 100 } };
  const told: unknown[] = [];
  for await (const event of socket.iterate({ query, variables })) told.push(event);
  await socket.dispose();
  return JSON.stringify(told);
}

describe('the budget of a key', () => {
  it('recomputes its days when the account’s time zone changes', async () => {
    const person = await signUp();
    await ask(person, createKey, { input: { name: 'k', budget: { amount: '1', period: 'DAY' } } });
    const move = 'mutation { updateAccount(input: { timeZone: "Asia/Kathmandu" }) { timeZone } }';
    expect((await ask(person, move)).data.updateAccount.timeZone).toBe('Asia/Kathmandu');
    expect((await ask(person, allBudgets)).data.budgets).toMatchObject([
      { periodStart: expect.stringMatching(/T18:15:00.000Z$/), periodEnd: expect.stringMatching(/T18:15:00.000Z$/) },
    ]);
  });

  it('is created, updated and removed with the key, and shows its spending', async () => {
    const person = await signUp();
    const made = (await ask(person, createKey, { input: { name: 'k', budget: { amount: '0.00025', period: 'DAY' } } }))
      .data.createApiKey;
    expect(made.apiKey.budget).toEqual({
      id: expect.any(String),
      subject: 'KEY',
      amount: { amount: '0.00025', currency: 'USD' },
      period: 'DAY',
      periodStart: expect.stringMatching(/T00:00:00.000Z$/),
      periodEnd: expect.stringMatching(/T00:00:00.000Z$/),
      spent: { amount: '0' },
      reserved: { amount: '0' },
      remaining: { amount: '0.00025' },
      alertAt: [80, 100],
      apiKey: { id: made.apiKey.id, name: 'k' },
      member: null,
    });
    await chat(made.secret);
    await chat(made.secret);
    await expect(chat(made.secret)).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' });
    const { nodes } = (await ask(person, `{ apiKeys { nodes { name budget { ${fields} } } } }`)).data.apiKeys;
    expect(nodes).toMatchObject([
      { name: 'k', budget: { spent: { amount: '0.0002' }, remaining: { amount: '0.00005' } } },
    ]);
    const more = { id: made.apiKey.id, budget: { amount: '0.0003', period: 'DAY', alertAt: [90, 50, 50] } };
    expect((await ask(person, updateKey, { input: more })).data.updateApiKey.budget).toMatchObject({
      id: made.apiKey.budget.id,
      remaining: { amount: '0.0001' },
      alertAt: [50, 90],
    });
    await chat(made.secret);
    await expect(chat(made.secret)).rejects.toMatchObject({ code: 'insufficient_quota' });
    const renamed = (await ask(person, updateKey, { input: { id: made.apiKey.id, name: 'named' } })).data.updateApiKey;
    expect(renamed).toMatchObject({ name: 'named', budget: { id: made.apiKey.budget.id } });
    const freed = (await ask(person, updateKey, { input: { id: made.apiKey.id, budget: null } })).data.updateApiKey;
    expect(freed).toMatchObject({ name: 'named', budget: null });
    await chat(made.secret);
  });

  it('is stored atomically with the key', async () => {
    const person = await signUp();
    const input = { name: 'k', budget: { amount: '-1', period: 'DAY' } };
    expect((await ask(person, createKey, { input })).code).toBe('bad_user_input');
    expect((await ask(person, '{ apiKeys { totalCount } }')).data.apiKeys.totalCount).toBe(0);
  });
});

describe('the budgets of an account and its members', () => {
  it('apply to all keys and sessions', async () => {
    const person = await signUp();
    const { secret } = (await ask(person, createKey, { input: { name: 'k' } })).data.createApiKey;
    const { user, currentAccount } = (await ask(person, '{ viewer { user { id } currentAccount { id } } }')).data
      .viewer;
    const own = { memberId: user.id, budget: { amount: '0.00025', period: 'MONTH' } };
    const member = (await ask(person, setBudget, { input: own })).data.setBudget;
    expect(member).toMatchObject({ subject: 'MEMBER', member: { id: user.id }, apiKey: null });
    const whole = { budget: { amount: '5', period: 'TOTAL' } };
    const account = (await ask(person, setBudget, { input: whole })).data.setBudget;
    expect(account).toMatchObject({ subject: 'ACCOUNT', member: null, periodStart: null, periodEnd: null });
    await chat(secret);
    await completionOf(person);
    expect(await completionOf(person)).toContain('insufficient_quota');
    await expect(chat(secret)).rejects.toMatchObject({ code: 'insufficient_quota' });
    const { data } = await ask(person, allBudgets);
    expect(data.budgets).toMatchObject([
      { id: member.id, spent: { amount: '0.0002' } },
      { id: account.id, spent: { amount: '0.0002' } },
    ]);
    expect(data.account.budgets).toEqual([{ id: member.id }, { id: account.id }]);
    expect((await ask(person, removeBudget, { id: member.id })).data.removeBudget).toBe(true);
    expect((await ask(person, removeBudget, { id: member.id })).code).toBe('not_found');
    await chat(secret);
    expect(currentAccount.id).toEqual(expect.any(String));
  });

  it('are invisible to other accounts and require permission to set', async () => {
    const [one, other] = [await signUp(), await signUp()];
    const { secret, apiKey } = (
      await ask(one, createKey, { input: { name: 'k', scopes: ['READ'], budget: { amount: '1', period: 'DAY' } } })
    ).data.createApiKey;
    const { user } = (await ask(one, '{ viewer { user { id } } }')).data.viewer;
    const budget = { amount: '1', period: 'DAY' };
    expect((await ask(other, removeBudget, { id: apiKey.budget.id })).code).toBe('not_found');
    expect((await ask(other, setBudget, { input: { memberId: user.id, budget } })).code).toBe('not_found');
    expect((await ask(other, updateKey, { input: { id: apiKey.id, budget: null } })).code).toBe('not_found');
    expect((await ask(other, '{ budgets { id } }')).data.budgets).toEqual([]);
    const reader = withKey(secret);
    expect((await ask(reader, '{ budgets { id } }')).data.budgets).toEqual([{ id: apiKey.budget.id }]);
    expect((await ask(reader, setBudget, { input: { budget } })).code).toBe('insufficient_scope');
    expect((await ask(reader, removeBudget, { id: apiKey.budget.id })).code).toBe('insufficient_scope');
    const inference = (await ask(one, createKey, { input: { name: 'i' } })).data.createApiKey;
    expect((await ask(withKey(inference.secret), '{ budgets { id } }')).code).toBe('insufficient_scope');
    expect((await ask({ headers: {} }, '{ budgets { id } }')).code).toBe('unauthenticated');
  });
});

describe('an alert', () => {
  it('is sent to webhooks and subscribers when a threshold is reached', async () => {
    const hook = `mutation ($url: String!) { createWebhook(input: { url: $url, events: [BUDGET_ALERT] }) { secret webhook { events } } }`;
    const path = `/${randomUUID()}`;
    const { secret: signing, webhook } = (await ask(owner(), hook, { url: new URL(path, outside.url).href })).data
      .createWebhook;
    expect(webhook.events).toEqual(['BUDGET_ALERT']);
    const toldOf = (budgetId: string): Promise<ReceivedRequest> =>
      outside.requestWhere((told) => told.path === path && told.body.includes(budgetId));
    const socket = socketOf(owner());
    const alerts = socket.iterate<{ budgetAlerts: { budget: { id: string } } }>({
      query: `subscription { budgetAlerts { percent spent { amount } at budget { id spent { amount } apiKey { id } } } }`,
    });
    const first = alerts.next();
    const watched: { id: string; budget: { id: string } }[] = [];
    // Nobody is told when a subscription begins: budgets pass their thresholds until it is heard of one.
    for (let isHeard = false; !isHeard;) {
      const input = { name: 'watched', budget: { amount: '0.0002', period: 'MONTH', alertAt: [50] } };
      const made = (await ask(owner(), createKey, { input })).data.createApiKey;
      watched.push(made.apiKey);
      await chat(made.secret);
      isHeard = await Promise.race([first.then(() => true), toldOf(made.apiKey.budget.id).then(() => false)]);
    }
    const heard = (await first).value.data.budgetAlerts;
    const apiKey = watched.find(({ budget }) => budget.id === heard.budget.id);
    expect(heard).toEqual({
      percent: 50,
      spent: { amount: '0.0001' },
      at: expect.any(String),
      budget: { id: apiKey?.budget.id, spent: { amount: '0.0001' }, apiKey: { id: apiKey?.id } },
    });
    await alerts.return?.();
    await socket.dispose();
    const told = await toldOf(heard.budget.id);
    const client = new OpenAI({ apiKey: 'x' });
    const event: unknown = await client.webhooks.unwrap(told.body, headersOf(told), signing);
    expect(event).toMatchObject({
      type: 'budget.alert',
      data: {
        id: apiKey?.budget.id,
        subject: 'key',
        api_key_id: apiKey?.id,
        amount: '0.0002',
        spent: '0.0001',
        percent: 50,
        period: 'MONTH',
      },
    });
  });

  it('requires permission to read budgets', async () => {
    const inference = (await ask(owner(), createKey, { input: { name: 'i' } })).data.createApiKey;
    const socket = socketOf(withKey(inference.secret));
    const { value } = await socket.iterate({ query: 'subscription { budgetAlerts { percent } }' }).next();
    expect(value.errors[0].extensions.code).toBe('insufficient_scope');
    await socket.dispose();
  });
});
