import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});
afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

async function ask(secret: string, query: string, variables: object = {}) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

const createKey = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
const updateKey = 'mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id } }';
const revokeKey = 'mutation ($input: ID!) { revokeApiKey(id: $input) { id } }';
const rotateKey = 'mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret } }';
const createToken =
  'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token expiresAt } }';
const invite = 'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }';
const createWebhook = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
const setBudget = 'mutation ($input: SetBudgetInput!) { setBudget(input: $input) { id } }';
const saveRoute = 'mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }';
const changePlan = 'mutation ($input: ID!) { changePlan(plan: $input) { pending } }';
const updateAccount = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }';
const share = 'mutation ($input: ID!) { shareComparison(id: $input) { token } }';
const startComparison = 'mutation ($input: StartComparisonInput!) { startComparison(input: $input) { id } }';
const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';

const HOUR_MS = 3_600_000;
const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
const newcomer = { email: 'newcomer@example.com', role: 'OWNER' };
const route = { name: 'mine', targets: [{ model: 'sandbox/chat' }] };
const connection = { provider: 'openai', name: 'mine', apiKey: 'sk-1' };
const budget = { budget: { amount: '1000000', period: 'DAY' } };
const webhook = { url: 'https://hooks.example.com/x', events: ['VIDEO_COMPLETED'] };

async function newKey(input: object = {}): Promise<{ secret: string; id: string }> {
  const all = { name: 'k', scopes: ['INFERENCE', 'READ', 'MANAGE'], role: 'OWNER', ...input };
  const { data } = await ask(account.apiKey, createKey, { input: all });
  return { secret: data.createApiKey.secret, id: data.createApiKey.apiKey.id };
}

async function lastingOfAccount(): Promise<readonly (readonly [string, unknown])[]> {
  const input = { prompt: 'Hi', models: ['sandbox/chat'] };
  const { data } = await ask(account.apiKey, startComparison, { input });
  return [
    [invite, newcomer],
    [createWebhook, webhook],
    [connect, connection],
    [setBudget, budget],
    [saveRoute, route],
    [changePlan, 'pro'],
    [updateAccount, { name: 'mine' }],
    [share, data.startComparison.id],
  ];
}

async function codes(secret: string, tried: readonly (readonly [string, unknown])[]): Promise<(string | null)[]> {
  const found: (string | null)[] = [];
  for (const [query, input] of tried) found.push((await ask(secret, query, { input })).code);
  return found;
}

describe('a temporary credential', () => {
  it('that is an access token cannot change keys or create anything permanent', async () => {
    const key = await newKey({ expiresAt: at(HOUR_MS), limits: { requestsPerMinute: 100 } });
    const other = await newKey();
    const { data } = await ask(key.secret, createToken, { input: { scopes: ['MANAGE', 'READ'] } });
    const tried = [
      [updateKey, { id: key.id, expiresAt: null, limits: null }],
      [updateKey, { id: other.id, name: 'mine' }],
      [revokeKey, key.id],
      [rotateKey, { id: key.id }],
      [createKey, { name: 'lasting', expiresAt: at(60_000) }],
      [createToken, { scopes: ['READ'] }],
      ...(await lastingOfAccount()),
    ] as const;
    expect(await codes(data.createAccessToken.token, tried)).toEqual(tried.map(() => 'credential_ends'));
  });

  it('that is a rotated secret cannot rotate, change or revoke its key, or create others', async () => {
    const key = await newKey();
    const { data } = await ask(account.apiKey, rotateKey, { input: { id: key.id, overlapSeconds: 3_600 } });
    const tried = [
      [rotateKey, { id: key.id, overlapSeconds: 0 }],
      [updateKey, { id: key.id, limits: null }],
      [revokeKey, key.id],
      [createKey, { name: 'lasting' }],
      ...(await lastingOfAccount()),
    ] as const;
    expect(await codes(key.secret, tried)).toEqual(tried.map(() => 'credential_ends'));
    expect((await ask(data.rotateApiKey.secret, rotateKey, { input: { id: key.id } })).code).toBeNull();
  });

  it('that is an expiring key creates only credentials with no later expiry and no more permissions', async () => {
    const key = await newKey({ expiresAt: at(HOUR_MS), scopes: ['READ', 'MANAGE'] });
    const [lasting, brief] = [
      await newKey(),
      await newKey({ expiresAt: at(HOUR_MS / 2), scopes: ['READ'], role: null }),
    ];
    const refused = [
      [createKey, { name: 'k', scopes: ['READ'] }],
      [createKey, { name: 'k', scopes: ['READ'], expiresAt: at(2 * HOUR_MS) }],
      [createKey, { name: 'k', expiresAt: at(HOUR_MS / 2) }],
      [updateKey, { id: key.id, expiresAt: null }],
      [updateKey, { id: key.id, limits: null }],
      [updateKey, { id: brief.id, expiresAt: at(2 * HOUR_MS) }],
      [updateKey, { id: brief.id, expiresAt: null }],
      [rotateKey, { id: lasting.id }],
      [updateKey, { id: lasting.id, limits: null }],
      ...(await lastingOfAccount()),
    ] as const;
    expect(await codes(key.secret, refused)).toEqual(refused.map(() => 'credential_ends'));
    const allowed = [
      [createKey, { name: 'k', scopes: ['READ'], expiresAt: at(HOUR_MS / 2) }],
      [updateKey, { id: brief.id, name: 'brief' }],
      [rotateKey, { id: brief.id }],
      [rotateKey, { id: key.id, overlapSeconds: 60 }],
    ] as const;
    expect(await codes(key.secret, allowed)).toEqual(allowed.map(() => null));
  });
});

it('a token ends when the secret that created it is rotated without overlap', async () => {
  const key = await newKey();
  const { data } = await ask(key.secret, createToken, { input: { scopes: ['READ'] } });
  const token: string = data.createAccessToken.token;
  expect((await ask(token, '{ account { id } }')).code).toBeNull();
  await ask(account.apiKey, rotateKey, { input: { id: key.id, overlapSeconds: 0 } });
  expect((await ask(token, '{ account { id } }')).code).toMatch(/^(?:expired_access_token|invalid_api_key)$/);
});
