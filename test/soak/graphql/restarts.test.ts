import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { queryRunning } from '../../harness/running-database.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({
    OPENAI_API_KEY: 'sk-operators',
    OPENAI_BASE_URL: provider.url,
    SLUICE_OUTBOUND_ALLOW: new URL(provider.url).host,
  });
});

beforeEach(() => provider.answerWith(completion()));

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

async function must(query: string, variables: object = {}) {
  const { data, errors } = await post(server.url, { query, variables }, { authorization: `Bearer ${server.apiKey}` });
  expect(errors).toBeUndefined();
  return data ?? {};
}

function chat(secret: string, model: string, content = 'Hello'): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  });
}

describe('a restart', () => {
  it('leaves connections, routes and moderation of keys as they were', async () => {
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await must(connect, { input: { provider: 'mine', apiKey: 'sk-of-mine', baseUrl: provider.url } });
    await must('mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }', {
      input: { name: 'new', targets: [{ model: 'mine/llama' }], saveAnyway: true },
    });
    const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
    const moderation = { model: 'sandbox/moderation', check: ['INPUT'], action: 'BLOCK' };
    const { secret } = (await must(create, { input: { name: 'k', moderation } })).createApiKey;

    expect(await server.end('SIGTERM'), server.output()).toBe(0);
    server = await server.restart();

    const answer = await chat(server.apiKey, 'new');
    expect([answer.status, answer.headers.get('x-sluice-model')]).toEqual([200, 'mine/llama']);
    expect(provider.requests.at(-1)?.headers.authorization).toBe('Bearer sk-of-mine');
    const flagged = await chat(secret, 'sandbox/chat', 'I want to kill them.');
    expect([flagged.status, await flagged.text()]).toEqual([400, expect.stringContaining('content_flagged')]);
  });
});

describe('a process that dies', () => {
  it('leaves comparisons that ran as interrupted, with what had come of them', async () => {
    provider.answerWith(pieces([chunk({ content: 'half' })], 'hang'));
    const start = 'mutation ($input: StartComparisonInput!) { startComparison(input: $input) { id } }';
    const { id } = (await must(start, { input: { prompt: 'Hello', models: ['openai/gpt-4.1-mini'] } })).startComparison;
    await vi.waitUntil(
      async () =>
        (await queryRunning(server.database, "select 1 from comparison_lanes where output = 'half'")).length > 0,
      120_000,
    );
    await server.end('SIGKILL');
    server = await server.restart();
    const query = 'query ($id: ID!) { comparison(id: $id) { lanes { status output servedModel } } }';
    await expect
      .poll(async () => (await must(query, { id })).comparison.lanes)
      .toEqual([{ status: 'INTERRUPTED', output: 'half', servedModel: 'openai/gpt-4.1-mini' }]);
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${server.apiKey}` },
    });
    const told: unknown[] = [];
    const events = client.iterate<{ comparison: { event: { __typename: string } } }>({
      query: 'subscription ($id: ID!) { comparison(id: $id, after: "of.before") { event { __typename } } }',
      variables: { id },
    });
    for await (const { data } of events) told.push(data?.comparison.event.__typename);
    await client.dispose();
    expect(told).toEqual(['EventGap', 'CompletionStarted', 'CompletionDelta', 'ComparisonLaneCancelled']);
  });
});
