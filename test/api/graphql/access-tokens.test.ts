import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

async function ask(secret: string, query: string, variables: object = {}) {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

async function newKey(scopes: readonly string[]): Promise<{ secret: string; id: string }> {
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
  const { data } = await ask(server.apiKey, query, { input: { name: 'k', scopes } });
  return { secret: data.createApiKey.secret, id: data.createApiKey.apiKey.id };
}

const createToken =
  'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token expiresAt scopes } }';

async function newToken(secret: string, input: object): Promise<string> {
  return (await ask(secret, createToken, { input })).data.createAccessToken.token;
}

function chat(secret: string): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', origin: 'https://app.example' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

/** Opens a socket. @returns the code that it is closed with, once it is */
async function open(secret: string): Promise<{ client: Client; closed: Promise<unknown> }> {
  const closed = Promise.withResolvers<unknown>();
  const opened = Promise.withResolvers<void>();
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${secret}` },
    onNonLazyError: () => undefined,
    on: {
      connected: () => opened.resolve(),
      closed: (event) => closed.resolve(z.object({ code: z.number() }).parse(event).code),
    },
  });
  await opened.promise;
  return { client, closed: closed.promise };
}

describe('an access token', () => {
  it('runs as its key, metered with it, within its scopes', async () => {
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

  it('is made by a key of itself, by who may write keys of any, and by no token', async () => {
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
      expect((await ask(token, query, { input })).code).toBe('forbidden');
  });

  it('ends in its time, and its sockets with it', async () => {
    const key = await newKey(['INFERENCE']);
    const token = await newToken(key.secret, { scopes: ['INFERENCE'], expiresInSeconds: 3 });
    const { client, closed } = await open(token);
    expect((await chat(token)).status).toBe(200);
    expect(await closed).toBe(4403);
    const { status, error } = await chat(token).then(async (answer) => ({
      status: answer.status,
      ...z.object({ error: z.object({ message: z.string() }) }).parse(await answer.json()),
    }));
    expect(status).toBe(401);
    expect(error.message).toMatch(/^This access token expired at /);
    await client.dispose();
  });

  it('dies with its key, and its sockets with it', async () => {
    const key = await newKey(['INFERENCE']);
    const token = await newToken(key.secret, { scopes: ['INFERENCE'] });
    const { client, closed } = await open(token);
    await ask(server.apiKey, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: key.id });
    expect((await chat(token)).status).toBe(401);
    expect(await closed).toBe(4403);
    await client.dispose();
  });
});

describe('a rotated key', () => {
  it('serves both secrets for as long as it was told to, and closes the sockets of the old one then', async () => {
    const key = await newKey(['INFERENCE']);
    const rotate =
      'mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret apiKey { id previousSecretExpiresAt } } }';
    const { client, closed } = await open(key.secret);
    const { data } = await ask(server.apiKey, rotate, { input: { id: key.id, overlapSeconds: 3 } });
    expect(data.rotateApiKey.apiKey.id).toBe(key.id);
    const endsAt = Date.parse(data.rotateApiKey.apiKey.previousSecretExpiresAt);
    expect([(await chat(key.secret)).status, (await chat(data.rotateApiKey.secret)).status]).toEqual([200, 200]);
    expect(await closed).toBe(4403);
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    expect([(await chat(key.secret)).status, (await chat(data.rotateApiKey.secret)).status]).toEqual([401, 200]);
    await client.dispose();
  });
});
