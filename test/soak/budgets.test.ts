import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnEachDatabase, type TestDatabases } from '../harness/databases.ts';
import { chunk, completion, startFakeProvider, type FakeProvider, type Script } from '../harness/fake-provider.ts';
import { startServerOn } from '../harness/server-on-database.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const MAX_TOKENS = 100;
/** At a dollar per million tokens of output, and nothing for the input. */
const NANO_PER_TOKEN = 1_000;
const REQUEST_USD = (MAX_TOKENS * NANO_PER_TOKEN) / 1e9;

const money = z.object({ amount: z.string() });
const status = z.object({ amount: money, spent: money, reserved: money, remaining: money });
const made = z.object({
  data: z.object({ createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }) }),
});
const listed = z.object({
  data: z.object({
    apiKeys: z.object({ nodes: z.array(z.object({ id: z.string(), budget: status.nullable() })) }),
    usageLogs: z.object({
      nodes: z.array(z.object({ status: z.string(), errorCode: z.string().nullable(), cost: money })),
    }),
  }),
});

/** An answer that used so many tokens. */
function used(tokens: number): Script {
  return completion({ usage: { prompt_tokens: 3, completion_tokens: tokens, total_tokens: tokens + 3 } });
}

let folder: string;
let provider: FakeProvider;
let server: ServerProcess;

async function start(databases: TestDatabases | null): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'sluice-budgets-'));
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, 'models:\n  openai/priced: { input: "0", output: "1", max_output_tokens: 100000 }\n');
  provider = await startFakeProvider(used(MAX_TOKENS));
  server = await startServerOn(databases, {
    SLUICE_CONFIG: config,
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: provider.url,
  });
}

async function stop(): Promise<void> {
  await server.dispose();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
}

async function graphql(query: string, variables: object = {}): Promise<unknown> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

async function keyWith(requests: number): Promise<{ client: () => OpenAI; id: string }> {
  const budget = { amount: (requests * REQUEST_USD).toFixed(9), period: 'MONTH' };
  const query =
    'mutation ($budget: Budget!) { createApiKey(input: { name: "bounded", budget: $budget }) { secret apiKey { id } } }';
  const { secret, apiKey } = made.parse(await graphql(query, { budget })).data.createApiKey;
  return { id: apiKey.id, client: () => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: secret, maxRetries: 5 }) };
}

async function told(id: string) {
  const query = `query ($filter: UsageLogFilter) {
    apiKeys(first: 100) { nodes { id budget { amount { amount } spent { amount } reserved { amount } remaining { amount } } } }
    usageLogs(first: 100, filter: $filter) { nodes { status errorCode cost { amount } } }
  }`;
  const { apiKeys, usageLogs } = listed.parse(await graphql(query, { filter: { apiKeyId: id } })).data;
  const budget = apiKeys.nodes.find((each) => each.id === id)?.budget;
  // Rejected requests have rows, too: without them the rows are those of the requests that were admitted.
  const rows = usageLogs.nodes.filter(({ status: outcome }) => outcome !== 'REJECTED');
  if (!budget) throw new Error('the key has no budget');
  return {
    spent: nano(budget.spent.amount),
    reserved: nano(budget.reserved.amount),
    remaining: nano(budget.remaining.amount),
    rows,
    billed: rows.reduce((sum, { cost }) => sum + nano(cost.amount), 0),
  };
}

/** Waits until so many rows are stored, of which no event tells. */
async function toldOf(id: string, rows: number) {
  // Each look costs points, of which there are so many a minute.
  for (let pauseMs = 50; ; pauseMs = Math.min(1_000, pauseMs * 1.5)) {
    const now = await told(id);
    if (now.rows.length >= rows) return now;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const nano = (usd: string): number => Math.round(Number(usd) * 1e9);
const ask = (client: OpenAI): Promise<OpenAI.Chat.ChatCompletion> =>
  client.chat.completions.create({
    model: 'openai/priced',
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: MAX_TOKENS,
  });

/** Each outcome: `ok`, or what the refusal said. */
async function outcomes(asked: readonly Promise<unknown>[]): Promise<(string | null | undefined)[]> {
  return Promise.all(
    asked.map((each) =>
      each.then(
        () => 'ok',
        (error: unknown) => {
          if (!(error instanceof APIError)) throw error;
          const { status: code, type, headers } = error;
          return `${code} ${error.code} ${type} ${headers?.get('x-should-retry')}`;
        },
      ),
    ),
  );
}

const refused = '429 insufficient_quota insufficient_quota false';

describe('a budget', () => {
  beforeAll(() => start(null));
  afterAll(stop);
  beforeEach(() => provider.answerWith(used(MAX_TOKENS)));

  it('for 10 requests answers 10 of 200 that come at once, and no more', async () => {
    const key = await keyWith(10);
    const client = key.client();
    const before = provider.requests.length;
    const told = await outcomes(Array.from({ length: 200 }, () => ask(client)));
    expect(told.filter((each) => each === 'ok')).toHaveLength(10);
    expect(told.filter((each) => each === refused)).toHaveLength(190);
    // None was tried again, by the SDK or by the server.
    const asked = provider.requests.slice(before);
    expect(asked.filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(10);
    const { spent, reserved, remaining, billed } = await toldOf(key.id, 10);
    expect({ spent, reserved, remaining, billed }).toEqual({
      spent: 10 * MAX_TOKENS * NANO_PER_TOKEN,
      reserved: 0,
      remaining: 0,
      billed: 10 * MAX_TOKENS * NANO_PER_TOKEN,
    });
  });

  it('admits more when requests cost less than they might have', async () => {
    const key = await keyWith(10);
    const client = key.client();
    const held = Promise.withResolvers<void>();
    const allArrived = Promise.withResolvers<void>();
    let arrived = 0;
    provider.answerWith(async (request, response) => {
      if (++arrived === 10) allArrived.resolve();
      await held.promise;
      await used(MAX_TOKENS / 2)(request, response);
    });
    const first = Array.from({ length: 10 }, () => ask(client));
    await allArrived.promise;
    expect((await told(key.id)).reserved).toBe(10 * MAX_TOKENS * NANO_PER_TOKEN);
    expect(await outcomes([ask(client)])).toEqual([refused]);
    held.resolve();
    expect(new Set(await outcomes(first))).toEqual(new Set(['ok']));
    const second = await outcomes(Array.from({ length: 20 }, () => ask(client)));
    const admitted = second.filter((each) => each === 'ok').length;
    expect(admitted).toBeGreaterThanOrEqual(5);
    const { spent, billed, reserved } = await toldOf(key.id, 10 + admitted);
    expect({ spent, reserved }).toEqual({ spent: ((10 + admitted) * MAX_TOKENS * NANO_PER_TOKEN) / 2, reserved: 0 });
    expect(billed).toBe(spent);
  });

  it('ends a stream without a bound where it is used up, and bills what was said', async () => {
    const key = await keyWith(20);
    const text = 'one more word and another '.repeat(8);
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!response.destroyed) {
        response.write(chunk({ content: text }));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const stream = await key.client().chat.completions.create({
      model: 'openai/priced',
      messages: [{ role: 'user', content: 'Go on' }],
      stream: true,
    });
    let said = '';
    const reading = async (): Promise<void> => {
      for await (const { choices } of stream) said += choices[0]?.delta.content ?? '';
    };
    await expect(reading()).rejects.toMatchObject({ code: 'insufficient_quota' });
    expect(said.length).toBeGreaterThan(0);
    const { spent, reserved, rows, billed } = await toldOf(key.id, 1);
    expect(rows).toMatchObject([{ status: 'FAILED', errorCode: 'insufficient_quota' }]);
    expect(reserved).toBe(0);
    expect(spent).toBe(billed);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(20 * MAX_TOKENS * NANO_PER_TOKEN);
  });

  it('lets a bounded stream go on to its end that it holds for, and ends one that does not keep to its bound', async () => {
    const key = await keyWith(1);
    const usage = { prompt_tokens: 3, completion_tokens: MAX_TOKENS, total_tokens: MAX_TOKENS + 3 };
    const request = {
      model: 'openai/priced',
      messages: [{ role: 'user' as const, content: 'Hello' }],
      max_tokens: MAX_TOKENS,
      stream: true as const,
    };
    const text = 'characteristically ';
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let each = 0; each < 30; each++) response.write(chunk({ content: text }));
      response.write(chunk({}, 'stop'));
      response.end(`${chunk({}, null, { choices: [], usage })}data: [DONE]\n\n`);
    });
    let said = '';
    for await (const { choices } of await key.client().chat.completions.create(request))
      said += choices[0]?.delta.content ?? '';
    expect(said).toBe(text.repeat(30));
    expect(await toldOf(key.id, 1)).toMatchObject({ spent: MAX_TOKENS * NANO_PER_TOKEN, remaining: 0, reserved: 0 });
    const other = await keyWith(1);
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!response.destroyed) {
        response.write(chunk({ content: text }));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const endless = async (): Promise<void> => {
      for await (const _ of await other.client().chat.completions.create(request));
    };
    await expect(endless()).rejects.toMatchObject({ code: 'insufficient_quota' });
  });
});

describeOnEachDatabase('a budget of a server that ended', (databases) => {
  beforeAll(() => start(databases));
  afterAll(stop);

  it('knows what was spent after a restart and after a kill -9, before the server is ready', async () => {
    const key = await keyWith(4);
    await ask(key.client());
    await ask(key.client());
    await server.end('SIGTERM');
    server = await server.restart();
    await ready();
    expect((await told(key.id)).spent).toBe(2 * MAX_TOKENS * NANO_PER_TOKEN);
    await ask(key.client());
    // Its row may be in the journal alone.
    await server.end('SIGKILL');
    server = await server.restart();
    await ready();
    const { spent, billed } = await told(key.id);
    expect({ spent, billed }).toEqual({ spent: 3 * MAX_TOKENS * NANO_PER_TOKEN, billed: spent });
    expect(await outcomes([ask(key.client()), ask(key.client())])).toEqual(expect.arrayContaining(['ok', refused]));
  });
});

/** As a load balancer finds out: the server announces it in no other way. */
async function ready(): Promise<void> {
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
}
