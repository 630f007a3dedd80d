import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { completion, type FakeProvider } from '../../harness/fake-provider.ts';
import { mailFolder } from '../../harness/mailbox.ts';
import { operator } from '../../harness/operator.ts';
import { newEmail, signUp, type TestAccount } from '../../harness/shared-server.ts';

type Caller = Readonly<Record<string, string>>;

let account: TestAccount;
let provider: FakeProvider;
let owner: Caller;

beforeAll(async () => {
  const operated = await operator();
  ({ provider } = operated);
  provider.answerWith(completion({ usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 } }));
  account = await operated.newAccount();
  owner = { cookie: account.cookie };
});
afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

async function ask(caller: Caller, query: string, variables: object = {}) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...caller },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

const invite =
  'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { ... on InviteMemberFailure { code } } }';
const createKey = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
const rotateKey = 'mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret } }';
const createToken = 'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token } }';
const setBudget = 'mutation ($input: SetBudgetInput!) { setBudget(input: $input) { id } }';

async function member(role: string): Promise<Caller & { readonly userId: string }> {
  const email = newEmail();
  await ask(owner, invite, { input: { email, role } });
  const invitation = await mailFolder(account.dataDir).token(email, 'Invitation to');
  const { cookie } = await signUp(account.url, { email, invitation });
  const { data } = await ask({ cookie }, '{ viewer { user { id } } }');
  return { cookie, userId: data.viewer.user.id };
}

async function newKey(caller: Caller, input: object = {}): Promise<{ secret: string; id: string }> {
  const { data } = await ask(caller, createKey, { input: { name: 'k', ...input } });
  return { secret: data.createApiKey.secret, id: data.createApiKey.apiKey.id };
}

async function chat(secret: string): Promise<{ status: number; requestId: string | null }> {
  const response = await fetch(`${account.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/priced', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 }),
  });
  await response.text();
  return { status: response.status, requestId: response.headers.get('x-request-id') };
}

describe('a member with a budget', () => {
  it('is charged for tokens of other members’ keys too', async () => {
    const developer = await member('DEVELOPER');
    const { id: apiKeyId, secret } = await newKey(owner);
    const manager = await newKey(developer, { scopes: ['MANAGE'] });
    const budget = { amount: '0.00025', period: 'MONTH' };
    expect((await ask(owner, setBudget, { input: { memberId: developer.userId, budget } })).code).toBeNull();
    const made = [];
    for (const maker of [developer, { authorization: `Bearer ${manager.secret}` }])
      made.push((await ask(maker, createToken, { input: { apiKeyId, scopes: ['INFERENCE'] } })).data);
    const tokens = made.map((data): string => data.createAccessToken.token);
    const first = await chat(tokens[0] ?? '');
    const statuses = [first.status];
    for (const token of [...tokens, ...tokens]) statuses.push((await chat(token)).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    // The owner has none.
    expect((await chat(secret)).status).toBe(200);
    const logs =
      'query ($requestId: String) { usageLogs(filter: { requestId: $requestId }) { nodes { user { id } apiKey { id } } } }';
    await expect
      .poll(async () => (await ask(owner, logs, { requestId: first.requestId })).data.usageLogs.nodes)
      .toEqual([{ user: { id: developer.userId }, apiKey: { id: apiKeyId } }]);
  });

  it('cannot get the secret of another member’s key without permission to set budgets', async () => {
    const [developer, admin] = [await member('DEVELOPER'), await member('ADMIN')];
    const [theirs, own] = [await newKey(owner), await newKey(developer)];
    const manager = await newKey(developer, { scopes: ['MANAGE'] });
    const bearer = { authorization: `Bearer ${manager.secret}` };
    const rotate = async (caller: Caller, id: string) => (await ask(caller, rotateKey, { input: { id } })).code;
    for (const caller of [developer, bearer]) {
      expect(await rotate(caller, theirs.id)).toBe('forbidden');
      expect(await rotate(caller, own.id)).toBeNull();
    }
    expect(await rotate(admin, theirs.id)).toBeNull();
    expect(await rotate({ authorization: `Bearer ${manager.secret}` }, manager.id)).toBeNull();
  });
});
