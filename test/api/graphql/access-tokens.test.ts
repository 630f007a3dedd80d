import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
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

async function newKey(scopes: readonly string[]): Promise<{ secret: string; id: string }> {
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
  const { data } = await ask(account.apiKey, query, { input: { name: 'k', scopes } });
  return { secret: data.createApiKey.secret, id: data.createApiKey.apiKey.id };
}

const createToken =
  'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token expiresAt scopes } }';

async function newToken(secret: string, input: object): Promise<string> {
  return (await ask(secret, createToken, { input })).data.createAccessToken.token;
}

function chat(secret: string): Promise<Response> {
  return fetch(`${account.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', origin: 'https://app.example' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

interface OpenSocket {
  readonly client: Client;
  /** Whether it was let in. */
  readonly opened: Promise<boolean>;
  /** The code that it is closed with. */
  readonly closed: Promise<unknown>;
}

function openSocket(secret: string): OpenSocket {
  const closed = Promise.withResolvers<unknown>();
  const opened = Promise.withResolvers<boolean>();
  const client = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${secret}` },
    onNonLazyError: () => undefined,
    on: {
      connected: () => opened.resolve(true),
      closed: (event) => {
        opened.resolve(false);
        closed.resolve(z.object({ code: z.number() }).parse(event).code);
      },
    },
  });
  return { client, opened: opened.promise, closed: closed.promise };
}

/** Lifetimes to try, in seconds: a busy machine may need longer for what is done within one. */
const lifetimes = [2, 8, 32, 128];

describe('an access token', () => {
  it('acts as its key, with the key’s limits and a subset of its scopes', async () => {
    const key = await newKey(['inference', 'read'].map((scope) => scope.toUpperCase()));
    const token = await newToken(key.secret, { scopes: ['INFERENCE'] });
    expect(token).toMatch(/^st-sluice-/);
    const answer = await chat(token);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const requestId = answer.headers.get('x-request-id');
    expect((await ask(token, '{ usageLogs { nodes { id } } }')).code).toBe('insufficient_scope');
    const logs =
      'query ($requestId: String) { usageLogs(filter: { requestId: $requestId }) { nodes { apiKey { id } } } }';
    await expect
      .poll(async () => (await ask(key.secret, logs, { requestId })).data.usageLogs.nodes)
      .toEqual([{ apiKey: { id: key.id } }]);
  });

  it('is created by a key for itself, by managers of keys for any key, and by no token', async () => {
    const [key, other] = [await newKey(['INFERENCE', 'MANAGE']), await newKey(['INFERENCE'])];
    expect((await ask(other.secret, createToken, { input: { scopes: ['INFERENCE'] } })).code).toBeNull();
    expect(
      (await ask(key.secret, createToken, { input: { apiKeyId: other.id, scopes: ['INFERENCE'] } })).code,
    ).toBeNull();
    const refused: [string, object, string][] = [
      [other.secret, { apiKeyId: key.id, scopes: ['INFERENCE'] }, 'insufficient_scope'],
      [other.secret, { scopes: ['READ'] }, 'bad_user_input'],
      [other.secret, { scopes: ['INFERENCE'], expiresInSeconds: 3_601 }, 'bad_user_input'],
    ];
    for (const [secret, input, code] of refused) expect((await ask(secret, createToken, { input })).code).toBe(code);
    const token = await newToken(key.secret, { scopes: ['MANAGE'] });
    for (const [query, input] of [
      [createToken, { scopes: ['MANAGE'] }],
      ['mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }', { name: 'lasting' }],
      ['mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret } }', { id: key.id }],
    ] as const)
      expect((await ask(token, query, { input })).code).toBe('credential_ends');
  });

  it('revokes itself immediately on every API including its sockets, and no other token', async () => {
    const key = await newKey(['INFERENCE', 'READ']);
    const create =
      'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token accessToken { id } } }';
    const make = async (): Promise<{ id: string; token: string }> => {
      const { data } = await ask(key.secret, create, { input: { scopes: ['INFERENCE', 'READ'] } });
      const { token, accessToken } = data.createAccessToken;
      return { id: accessToken.id, token };
    };
    const [one, other] = [await make(), await make()];
    const list = 'query ($id: ID!) { accessTokens(apiKeyId: $id) { nodes { id scopes createdBy { id } } } }';
    const listed = async (): Promise<string[]> =>
      (await ask(account.apiKey, list, { id: key.id })).data.accessTokens.nodes.map(({ id }: { id: string }) => id);
    expect(await listed()).toEqual([other.id, one.id]);
    const { client, opened, closed } = openSocket(one.token);
    expect(await opened).toBe(true);
    const revoke = 'mutation ($id: ID!) { revokeAccessToken(id: $id) }';
    const stranger = await newAccount();
    expect((await ask(stranger.apiKey, revoke, { id: one.id })).code).toBe('not_found');
    expect((await ask(other.token, revoke, { id: one.id })).code).toBe('credential_ends');
    expect((await ask(key.secret, revoke, { id: one.id })).data.revokeAccessToken).toBe(true);
    expect((await chat(one.token)).status).toBe(401);
    expect((await ask(one.token, '{ account { id } }')).code).toBe('invalid_api_key');
    expect(await closed).toBe(4403);
    await client.dispose();
    expect(await listed()).toEqual([other.id]);
    expect((await chat(other.token)).status).toBe(200);
    expect((await ask(account.apiKey, revoke, { id: one.id })).code).toBe('not_found');
    // A page that signs out ends its own.
    expect((await ask(other.token, revoke, { id: other.id })).data.revokeAccessToken).toBe(true);
    expect((await chat(other.token)).status).toBe(401);
    await stranger.dispose();
  });

  it('is revoked by its key or a manager of keys', async () => {
    const [key, other] = [await newKey(['INFERENCE']), await newKey(['INFERENCE'])];
    const create =
      'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { accessToken { id } } }';
    const { data } = await ask(key.secret, create, { input: { scopes: ['INFERENCE'] } });
    const { id } = data.createAccessToken.accessToken;
    const revoke = 'mutation ($id: ID!) { revokeAccessToken(id: $id) }';
    expect((await ask(other.secret, revoke, { id })).code).toBe('insufficient_scope');
    expect((await ask(account.apiKey, revoke, { id })).data.revokeAccessToken).toBe(true);
  });

  it('ends with its key, including its sockets', async () => {
    const key = await newKey(['INFERENCE']);
    const token = await newToken(key.secret, { scopes: ['INFERENCE'] });
    const { client, opened, closed } = openSocket(token);
    expect(await opened).toBe(true);
    await ask(account.apiKey, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: key.id });
    expect((await chat(token)).status).toBe(401);
    expect(await closed).toBe(4403);
    await client.dispose();
  });
});

describe.concurrent('an expiring credential', () => {
  it('closes the sockets of an access token on expiry', async () => {
    const key = await newKey(['INFERENCE']);
    let wasOpen = false;
    for (const expiresInSeconds of lifetimes) {
      const token = await newToken(key.secret, { scopes: ['INFERENCE'], expiresInSeconds });
      const { client, opened, closed } = openSocket(token);
      wasOpen = await opened;
      if (wasOpen) expect(await closed).toBe(4403);
      const answer = await chat(token);
      expect(answer.status).toBe(401);
      expect(await answer.text()).toContain('This access token expired at ');
      await client.dispose();
      if (wasOpen) break;
    }
    expect(wasOpen).toBe(true);
  });

  it('closes the sockets of a rotated secret at the end of its overlap, and serves until then', async () => {
    const key = await newKey(['INFERENCE']);
    const rotate =
      'mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret apiKey { id previousSecretExpiresAt } } }';
    let { secret } = key;
    let served: number[] = [];
    for (const overlapSeconds of lifetimes) {
      const { client, opened, closed } = openSocket(secret);
      expect(await opened).toBe(true);
      const { data } = await ask(account.apiKey, rotate, { input: { id: key.id, overlapSeconds } });
      expect(data.rotateApiKey.apiKey.id).toBe(key.id);
      const endsAt = Date.parse(data.rotateApiKey.apiKey.previousSecretExpiresAt);
      served = [(await chat(secret)).status, (await chat(data.rotateApiKey.secret)).status];
      const wasInTime = Date.now() < endsAt;
      expect(await closed).toBe(4403);
      expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
      expect([(await chat(secret)).status, (await chat(data.rotateApiKey.secret)).status]).toEqual([401, 200]);
      await client.dispose();
      ({ secret } = data.rotateApiKey);
      if (wasInTime) break;
    }
    expect(served).toEqual([200, 200]);
  });
});
