import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;
const secrets = { maker: '', other: '', reader: '', manager: '', token: '' };

beforeAll(async () => {
  account = await newAccount();
  secrets.maker = await newKey(['INFERENCE']);
  secrets.other = await newKey(['INFERENCE']);
  secrets.reader = await newKey(['INFERENCE', 'READ']);
  secrets.manager = await newKey(['INFERENCE', 'MANAGE']);
  const create = 'mutation { createAccessToken(input: { scopes: [INFERENCE] }) { token } }';
  secrets.token = z
    .object({ createAccessToken: z.object({ token: z.string() }) })
    .parse(await graphql(secrets.reader, create)).createAccessToken.token;
});
afterAll(() => account.dispose());

async function graphql(secret: string, query: string, variables: object = {}): Promise<unknown> {
  const answer = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ query, variables }),
  });
  return z.object({ data: z.unknown() }).parse(await answer.json()).data;
}

async function newKey(scopes: readonly string[]): Promise<string> {
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
  const data = await graphql(account.apiKey, query, { input: { name: 'k', scopes } });
  return z.object({ createApiKey: z.object({ secret: z.string() }) }).parse(data).createApiKey.secret;
}

function as(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${account.url}/v1`, apiKey, maxRetries: 0 });
}

async function statusOf(secret: string, method: string, path: string, body?: object): Promise<number> {
  const answer = await fetch(`${account.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function newResponse(background = false): Promise<{ id: string; itemId: string }> {
  const made = await as(secrets.maker).responses.create({ model: 'sandbox/chat', input: 'Secret plan', background });
  return { id: made.id, itemId: made.output[0]?.id ?? '' };
}

describe('a stored response', () => {
  it('is accessible only for the key that created it, and not for other inference keys or tokens', async () => {
    const { id, itemId } = await newResponse();
    const running = await newResponse(true);
    const next = { model: 'sandbox/chat', input: 'And?', previous_response_id: id };
    const refer = { model: 'sandbox/chat', input: [{ type: 'item_reference', id: itemId }] };
    for (const secret of [secrets.other, secrets.token]) {
      expect(await statusOf(secret, 'GET', `/responses/${id}`)).toBe(404);
      expect(await statusOf(secret, 'GET', `/responses/${running.id}?stream=true`)).toBe(404);
      expect(await statusOf(secret, 'GET', `/responses/${id}/input_items`)).toBe(404);
      expect(await statusOf(secret, 'POST', `/responses/${running.id}/cancel`)).toBe(404);
      expect(await statusOf(secret, 'DELETE', `/responses/${id}`)).toBe(404);
      expect(await statusOf(secret, 'POST', '/responses', next)).toBe(400);
      expect(await statusOf(secret, 'POST', '/responses', refer)).toBe(400);
    }
    expect(await statusOf(secrets.maker, 'GET', `/responses/${id}`)).toBe(200);
    expect(await statusOf(secrets.maker, 'GET', `/responses/${id}/input_items`)).toBe(200);
    expect(await statusOf(secrets.maker, 'POST', '/responses', next)).toBe(200);
    expect(await statusOf(secrets.maker, 'POST', '/responses', refer)).toBe(200);
    expect(await statusOf(secrets.maker, 'DELETE', `/responses/${id}`)).toBe(200);
  });

  it('is readable for keys with the scope read, and deletable for keys with the scope manage', async () => {
    const { id } = await newResponse();
    const next = { model: 'sandbox/chat', input: 'And?', previous_response_id: id };
    expect(await statusOf(secrets.reader, 'GET', `/responses/${id}`)).toBe(200);
    expect(await statusOf(secrets.reader, 'POST', '/responses', next)).toBe(200);
    expect(await statusOf(secrets.reader, 'DELETE', `/responses/${id}`)).toBe(404);
    expect(await statusOf(secrets.manager, 'DELETE', `/responses/${id}`)).toBe(200);
  });
});

describe('a video', () => {
  it('is accessible for the key that created it, and for keys with the scopes read and manage', async () => {
    const { id } = await as(secrets.maker).videos.create({ model: 'sandbox/video', prompt: 'Secret', seconds: '4' });
    const ids = async (secret: string): Promise<string[]> =>
      (await as(secret).videos.list()).data.map((each) => each.id);
    const read = [
      ['GET', `/videos/${id}`],
      ['GET', `/videos/${id}/content`],
      ['POST', `/videos/${id}/remix`, { prompt: 'Mine' }],
    ] as const;
    await expect.poll(async () => (await as(secrets.maker).videos.retrieve(id)).status).toBe('completed');
    for (const secret of [secrets.other, secrets.token]) {
      expect(await ids(secret)).toEqual([]);
      for (const [method, path, body] of read) expect(await statusOf(secret, method, path, body)).toBe(404);
      expect(await statusOf(secret, 'GET', `/videos?after=${id}`)).toBe(404);
      expect(await statusOf(secret, 'DELETE', `/videos/${id}`)).toBe(404);
    }
    for (const secret of [secrets.maker, secrets.reader]) {
      expect(await ids(secret)).toContain(id);
      for (const [method, path, body] of read) expect(await statusOf(secret, method, path, body)).toBe(200);
    }
    expect(await statusOf(secrets.reader, 'DELETE', `/videos/${id}`)).toBe(404);
    expect(await statusOf(secrets.manager, 'DELETE', `/videos/${id}`)).toBe(200);
  });
});
