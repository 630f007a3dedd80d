import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { FakeProvider } from '../../harness/fake-provider.ts';
import { bills, usageUntil, whenOver } from '../../harness/follow-video.ts';
import { operator, type Operator } from '../../harness/operator.ts';
import type { TestAccount } from '../../harness/shared-server.ts';

let operated: Operator;
let account: TestAccount;
/** Where webhooks lead. */
let outside: FakeProvider;
let client: OpenAI;

beforeAll(async () => {
  operated = await operator();
  ({ outside } = operated);
  account = await operated.newAccount();
  client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

async function ask(query: string, variables: object = {}, authorization = `Bearer ${account.apiKey}`) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

/** A key of these scopes alone. */
async function keyOf(...scopes: string[]): Promise<string> {
  const { data } = await ask('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }', {
    input: { name: 'k', scopes },
  });
  return `Bearer ${data.createApiKey.secret}`;
}

async function follow(id: string, authorization = `Bearer ${account.apiKey}`) {
  const socket = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
    retryAttempts: 0,
  });
  const query = `subscription ($id: ID!) { videoProgress(id: $id) { videoId status progress cost { amount } } }`;
  const seen = [];
  for await (const answer of socket.iterate({ query, variables: { id } })) seen.push(answer);
  await socket.dispose();
  return seen.map(({ data, errors }) => ({
    video: watched.nullish().parse(data?.videoProgress),
    code: errors?.[0]?.extensions?.code,
  }));
}

const watched = z.object({
  videoId: z.string(),
  status: z.string(),
  progress: z.number(),
  cost: z.object({ amount: z.string() }).nullable(),
});

const fields =
  'id videoId model provider status progress prompt seconds size error { code } remixedFrom cost { amount currency } createdAt completedAt expiresAt';

describe('videos through GraphQL', () => {
  it('are streamed to completion by either ID', async () => {
    const { id } = await client.videos.create({ model: 'sandbox/video', prompt: 'A kite', size: '1280x720' });
    const seen = await follow(id);
    const percents = seen.map(({ video }) => video?.progress ?? -1);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toEqual({
      video: { videoId: id, status: 'COMPLETED', progress: 100, cost: { amount: '0' } },
      code: undefined,
    });
    const { data } = await ask(`query ($id: ID!) { video(id: $id) { ${fields} } }`, { id });
    expect(data.video).toMatchObject({
      videoId: id,
      model: 'sandbox/video',
      provider: 'sandbox',
      prompt: 'A kite',
      seconds: 4,
      size: '1280x720',
      error: null,
      cost: { amount: '0', currency: 'USD' },
    });
    // One that is over is told of once.
    expect(await follow(data.video.id)).toHaveLength(1);
  });

  it('count as one request each, although their cost has a separate record', async () => {
    const own = await operated.newAccount();
    const sdk = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: own.apiKey, maxRetries: 0 });
    const { id } = await sdk.videos.create({ model: 'sandbox/video', prompt: 'A kite', seconds: '4' });
    await whenOver(sdk, id);
    await usageUntil(own, (rows) => bills(rows).length > 0);
    const range = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) };
    const query = `query ($range: UsageRange!) {
      usage(range: $range, groupBy: [MODEL]) { total { requests errors } groups { model usage { requests } } }
      usageLogs(first: 10) { nodes { requests } }
    }`;
    const { data } = await ask(query, { range }, `Bearer ${own.apiKey}`);
    expect(data.usage).toEqual({
      total: { requests: 1, errors: 0 },
      groups: [{ model: 'sandbox/video', usage: { requests: 1 } }],
    });
    expect(data.usageLogs.nodes).toEqual([{ requests: 0 }, { requests: 1 }]);
    await own.dispose();
  });

  it('are paginated, newest first', async () => {
    const ids: string[] = [];
    for (const prompt of ['1', '2', '3'])
      ids.unshift((await client.videos.create({ model: 'sandbox/video', prompt })).id);
    const query = `query ($after: Cursor) { videos(first: 2, after: $after) { nodes { videoId } pageInfo { hasNextPage endCursor } } }`;
    const first = (await ask(query)).data.videos;
    const second = (await ask(query, { after: first.pageInfo.endCursor })).data.videos;
    const shown = [...first.nodes, ...second.nodes].map(({ videoId }: { videoId: string }) => videoId);
    expect(shown.slice(0, 3)).toEqual(ids);
    expect(first.pageInfo.hasNextPage).toBe(true);
  });

  it('are invisible to other accounts and without the scope', async () => {
    const unknown = `video_${'0'.repeat(12)}7000800000000000000${'0'}`;
    for (const id of ['nonsense', unknown]) {
      expect((await ask(`query ($id: ID!) { video(id: $id) { id } }`, { id })).code).toBe('not_found');
      expect((await follow(id))[0]?.code).toBe('not_found');
    }
    const inference = await keyOf('INFERENCE');
    expect((await ask('{ videos { nodes { id } } }', {}, inference)).code).toBe('insufficient_scope');
  });
});

describe('webhooks through GraphQL', () => {
  const create = `mutation ($url: String!) { createWebhook(input: { url: $url }) { secret webhook { id url events secretHint lastStatus } } }`;

  it('are sent when a video completes, with a signature that the official SDK verifies', async () => {
    const url = new URL(`/${randomUUID()}`, outside.url).href;
    const { data } = await ask(create, { url });
    const { secret, webhook } = data.createWebhook;
    expect(webhook).toMatchObject({
      url,
      events: ['VIDEO_COMPLETED', 'VIDEO_FAILED', 'BUDGET_ALERT', 'API_KEY_EXPIRING'],
      secretHint: `…${secret.slice(-4)}`,
      lastStatus: null,
    });
    const { id } = await client.videos.create({ model: 'sandbox/video', prompt: 'Told of' });
    await whenOver(client, id);
    const told = await outside.requestWhere(({ body }) => body.includes(id));
    const headers = Object.fromEntries(Object.entries(told.headers).map(([name, value]) => [name, String(value)]));
    const event = await client.webhooks.unwrap(told.body, headers, secret);
    expect(event).toMatchObject({
      object: 'event',
      type: 'video.completed',
      data: { id, object: 'video', status: 'completed', model: 'sandbox/video' },
    });
    expect(told.body).not.toContain('Told of');
    // It is recorded once the receiver has answered.
    await expect
      .poll(async () => (await ask('{ webhooks { id lastStatus lastFailure lastDeliveredAt } }')).data.webhooks)
      .toEqual([{ id: webhook.id, lastStatus: 200, lastFailure: null, lastDeliveredAt: expect.any(String) }]);
    const remove = 'mutation ($id: ID!) { deleteWebhook(id: $id) }';
    expect((await ask(remove, { id: webhook.id })).data).toEqual({ deleteWebhook: true });
    expect((await ask(remove, { id: webhook.id })).code).toBe('not_found');
    expect((await ask('{ webhooks { id } }')).data.webhooks).toEqual([]);
  });

  it('reject non-public URLs and require the scope', async () => {
    for (const url of ['http://127.0.0.1:1/', 'http://[::1]/', 'http://2130706433/', 'http://metadata.internal/'])
      expect((await ask(create, { url })).code).toBe('outbound_refused');
    const reading = await keyOf('READ');
    expect((await ask(create, { url: outside.url }, reading)).code).toBe('insufficient_scope');
  });
});
