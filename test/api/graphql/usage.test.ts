import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { newAccount, signUp, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

interface Group {
  readonly tag: { readonly name: string; readonly value: string } | null;
  readonly usage: { readonly requests: number };
}

interface Ticked extends Record<string, unknown> {
  readonly usageTicks: { readonly requests: number; readonly today: { readonly requests: number } | null };
}

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string(), param: z.string().optional() }) }))
    .optional(),
});

beforeAll(async () => {
  account = await newAccount();
  await chat({ 'x-sluice-tags': 'team=search, stage=test' }, { user: 'somebody' });
  await chat({ 'x-sluice-tags': 'team=ads' });
  await chat({});
  await vi.waitFor(
    async () => expect((await ask('{ usageLogs { nodes { id } } }')).data.usageLogs.nodes).toHaveLength(3),
    120_000,
  );
});
afterAll(() => account.dispose());

async function chat(headers: Record<string, string>, body: object = {}): Promise<void> {
  const response = await fetch(`${account.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

async function ask(query: string, variables: object = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}`, ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, error: errors?.[0]?.extensions ?? null };
}

function range(): { from: string; to: string } {
  const now = Date.now();
  return { from: new Date(now - 86_400_000).toISOString(), to: new Date(now + 60_000).toISOString() };
}

const report = `query ($range: UsageRange!, $interval: Interval, $groupBy: [UsageDimension!], $filter: UsageFilter, $limit: Int) {
  usage(range: $range, interval: $interval, groupBy: $groupBy, filter: $filter, limit: $limit) {
    from to timeZone truncated
    total { ...Sums }
    groups { start model provider capability member tag { name value } apiKey { name } usage { ...Sums } }
  }
}
fragment Sums on UsageTotals {
  requests errors inputTokens outputTokens cachedTokens reasoningTokens cost { amount currency }
  latency { mean p50 p95 } firstToken { p50 }
}`;

describe('the query usage', () => {
  it('returns totals, with percentiles selected in a fragment', async () => {
    const { data } = await ask(report, { range: range() });
    expect(data.usage).toMatchObject({
      timeZone: 'UTC',
      truncated: false,
      groups: [],
      total: { requests: 3, errors: 0, cost: { amount: '0', currency: 'USD' }, latency: { mean: expect.any(Number) } },
    });
    expect(data.usage.total.inputTokens).toBeGreaterThan(0);
    expect(Date.parse(data.usage.from) % 900_000).toBe(0);
  });

  it('groups by dimensions and time', async () => {
    const groupBy = ['KEY', 'MODEL', 'PROVIDER', 'CAPABILITY', 'MEMBER'];
    const { data } = await ask(report, { range: range(), interval: 'DAY', groupBy });
    const requests = data.usage.groups.reduce((sum: number, group: Group) => sum + group.usage.requests, 0);
    expect(requests).toBe(3);
    expect(data.usage.groups[0]).toMatchObject({
      start: expect.stringMatching(/T00:00:00\.000Z$/),
      apiKey: { name: expect.any(String) },
      model: 'sandbox/chat',
      provider: 'sandbox',
      capability: 'chat',
      tag: null,
    });
    const byHour = await ask(report, { range: range(), groupBy: ['HOUR'] });
    expect(byHour.data.usage.groups[0].start).toMatch(/:00:00\.000Z$/);
  });

  it('groups by tags and filters by one tag name', async () => {
    const { data } = await ask(report, { range: range(), groupBy: ['TAG'] });
    const tags = data.usage.groups.map(({ tag, usage }: Group) => `${tag?.name}=${tag?.value}: ${usage.requests}`);
    expect(tags.toSorted()).toEqual(['stage=test: 1', 'team=ads: 1', 'team=search: 1']);
    expect(data.usage.total.requests).toBe(3);
    const teams = await ask(report, { range: range(), groupBy: ['TAG'], filter: { tagName: 'team' }, limit: 1 });
    expect(teams.data.usage).toMatchObject({ truncated: true, total: { requests: 2 } });
    const other = await ask(report, { range: range(), filter: { model: 'other/model' } });
    expect(other.data.usage.total).toMatchObject({ requests: 0, latency: null });
  });

  it.each([
    [{ interval: 'DAY', groupBy: ['HOUR'] }, 'interval'],
    [{ limit: 0 }, 'limit'],
    [{ range: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } }, 'range'],
  ])('refuses %j', async (variables, param) => {
    const { error } = await ask(report, { range: range(), ...variables });
    expect(error).toMatchObject({ code: 'bad_user_input', param });
  });

  it('returns nothing of another account', async () => {
    const { cookie } = await signUp(account.url);
    const headers = { authorization: '', cookie };
    const { data } = await ask(report, { range: range(), groupBy: ['MODEL'] }, headers);
    expect(data.usage).toMatchObject({ total: { requests: 0 }, groups: [] });
    const own = await ask('{ apiKeys { nodes { id } } }');
    const filter = { apiKeyId: own.data.apiKeys.nodes[0].id };
    expect((await ask(report, { range: range(), filter }, headers)).data.usage.total.requests).toBe(0);
  });
});

describe('the usage log', () => {
  const logs =
    'query ($filter: UsageLogFilter) { usageLogs(filter: $filter) { nodes { endUser protocol tags { name value } } } }';

  it('is filtered by tag and end user', async () => {
    const tagged = await ask(logs, { filter: { tag: { name: 'team', value: 'search' } } });
    expect(tagged.data.usageLogs.nodes).toEqual([
      {
        endUser: 'somebody',
        protocol: 'CHAT_COMPLETIONS',
        tags: [
          { name: 'stage', value: 'test' },
          { name: 'team', value: 'search' },
        ],
      },
    ]);
    expect((await ask(logs, { filter: { endUser: 'somebody' } })).data.usageLogs.nodes).toHaveLength(1);
    expect((await ask(logs, { filter: { endUser: 'some' } })).data.usageLogs.nodes).toHaveLength(0);
    const none = { tag: { name: 'team', value: '" or true --' } };
    expect((await ask(logs, { filter: none })).data.usageLogs.nodes).toHaveLength(0);
  });
});

const sortedForm = z.object({
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  nodes: z.array(z.object({ id: z.string(), createdAt: z.string(), durationMs: z.number() })),
});
type Sorted = z.infer<typeof sortedForm>;

describe('the order of the usage log', () => {
  const sorted =
    'query ($orderBy: UsageLogOrder, $first: Int, $after: Cursor, $last: Int) { usageLogs(orderBy: $orderBy, first: $first, after: $after, last: $last) { pageInfo { hasNextPage endCursor } nodes { id createdAt durationMs } } }';

  it.each(['TIME_ASC', 'COST_DESC', 'DURATION_ASC', 'TOKENS_DESC'])(
    '%s is paged without repetitions',
    async (orderBy) => {
      const seen: Sorted['nodes'] = [];
      let after: string | null = null;
      do {
        const { data } = await ask(sorted, { orderBy, first: 2, after });
        const { usageLogs }: { usageLogs: Sorted } = z.object({ usageLogs: sortedForm }).parse(data);
        seen.push(...usageLogs.nodes);
        after = usageLogs.pageInfo.hasNextPage ? usageLogs.pageInfo.endCursor : null;
      } while (after !== null);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(3);
      expect(seen).toHaveLength(3);
      if (orderBy === 'TIME_ASC') expect(seen).toEqual(seen.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)));
      if (orderBy === 'DURATION_ASC')
        expect(seen.map(({ durationMs }) => durationMs)).toEqual(
          seen.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b),
        );
      const end = (await ask(sorted, { orderBy, last: 2 })).data.usageLogs.nodes;
      expect(end).toEqual(seen.slice(-2));
    },
  );

  it('refuses a cursor of another order', async () => {
    const { usageLogs } = (await ask(sorted, { orderBy: 'COST_DESC', first: 1 })).data;
    const { error } = await ask(sorted, { orderBy: 'DURATION_DESC', first: 1, after: usageLogs.pageInfo.endCursor });
    expect(error).toMatchObject({ code: 'bad_user_input', param: 'after' });
  });
});

describe('a filter', () => {
  const rows = 'query ($filter: UsageLogFilter) { usageLogs(filter: $filter) { nodes { requestId model requests } } }';
  let from: string;
  let to: string;

  async function exported(params: Record<string, string>): Promise<string[]> {
    const response = await fetch(`${account.url}/exports/usage.jsonl?${new URLSearchParams({ from, to, ...params })}`, {
      headers: { authorization: `Bearer ${account.apiKey}` },
    });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => z.object({ request_id: z.string() }).parse(JSON.parse(line)).request_id);
  }

  beforeAll(async () => {
    ({ from, to } = range());
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'no/model', messages: [] }),
    });
    expect(response.status).toBe(404);
    const find = { filter: { requestId: response.headers.get('x-request-id') } };
    await vi.waitFor(async () => expect((await ask(rows, find)).data.usageLogs.nodes).toHaveLength(1), {
      timeout: 120_000,
      interval: 500,
    });
  });

  it.each<[object, Record<string, string>, number]>([
    [{ tag: { name: 'team' } }, { tag: 'team' }, 2],
    [{ tag: { name: 'team', value: 'ads' } }, { tag: 'team=ads' }, 1],
    [{ tag: { name: "te'am" } }, { tag: "te'am" }, 0],
    [{ status: 'SUCCEEDED' }, { status: 'succeeded' }, 3],
    [{ status: 'REJECTED' }, { status: 'REJECTED' }, 1],
    [{ endUser: 'somebody' }, { end_user: 'somebody' }, 1],
    [{ modelContains: 'BOX/ch' }, { model_contains: 'BOX/ch' }, 3],
    [{ modelContains: 's_ndbox' }, { model_contains: 's_ndbox' }, 0],
    [{ modelContains: 'chat', status: 'REJECTED' }, { model_contains: 'chat', status: 'rejected' }, 0],
    [{ model: 'sandbox/chat', tag: { name: 'stage' } }, { model: 'sandbox/chat', tag: 'stage' }, 1],
    [{ requestId: 'req_none' }, { request_id: 'req_none' }, 0],
    [{}, {}, 4],
  ])('%j applies to rows, totals, groups and the export alike', async (filter, params, count) => {
    const { nodes } = (await ask(rows, { filter: { ...filter, from, to } })).data.usageLogs;
    expect(nodes).toHaveLength(count);
    const groupBy = ['MODEL'];
    const { usage } = (await ask(report, { range: { from, to }, interval: 'DAY', groupBy, filter })).data;
    expect(usage.total.requests).toBe(count);
    expect(usage.groups.reduce((sum: number, group: Group) => sum + group.usage.requests, 0)).toBe(count);
    const ids = nodes.map(({ requestId }: { requestId: string }) => requestId);
    expect((await exported(params)).toSorted()).toEqual(ids.toSorted());
  });

  it('by request ID applies to rows, totals and the export', async () => {
    const [{ requestId }] = (await ask(rows, { filter: { tag: { name: 'stage' } } })).data.usageLogs.nodes;
    const { usage } = (await ask(report, { range: { from, to }, groupBy: ['TAG'], filter: { requestId } })).data;
    expect(usage.total).toMatchObject({ requests: 1, errors: 0, latency: { mean: expect.any(Number) } });
    expect(usage.groups.map(({ tag }: Group) => tag?.name).toSorted()).toEqual(['stage', 'team']);
    expect(await exported({ request_id: requestId })).toEqual([requestId]);
  });

  it('by an unknown status is rejected by the export', async () => {
    const response = await fetch(`${account.url}/exports/usage.csv?status=lost`, {
      headers: { authorization: `Bearer ${account.apiKey}` },
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'status' } }]);
  });
});

describe('the subscription usageTicks', () => {
  const ticks =
    'subscription ($interval: Int) { usageTicks(interval: $interval) { requests inputTokens cost { amount } today { requests } } }';
  let client: Client;
  beforeAll(() => {
    client = createClient({
      url: `${account.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${account.apiKey}` },
    });
  });
  afterAll(() => client.dispose());

  it('reports usage until it is stored', async () => {
    const events = client.iterate<Ticked>({ query: ticks });
    const next = async (): Promise<Ticked['usageTicks']> => {
      const { value } = await events.next();
      if (!value?.data) throw new Error('the ticks have ended');
      return value.data.usageTicks;
    };
    expect(await next()).toMatchObject({ requests: 0, today: { requests: 4 } });
    await chat({});
    expect(await next()).toMatchObject({ requests: 1, inputTokens: expect.any(Number), cost: { amount: '0' } });
    await chat({});
    let tick = await next();
    while ((tick.today?.requests ?? 0) < 6) tick = await next();
    expect(tick).toMatchObject({ requests: 2, today: { requests: 6 } });
    await events.return?.();
  });

  it('reports the current limits and budget', async () => {
    const set = 'mutation { setBudget(input: { budget: { amount: "5", period: TOTAL } }) { id } }';
    const query =
      'subscription { usageTicks { limits { concurrency } budget { amount { amount } remaining { amount } } } }';
    const read = async () => (await client.iterate({ query }).next()).value?.data?.usageTicks;
    expect(await read()).toEqual({ limits: { concurrency: null }, budget: null });
    const { data } = await ask(set);
    expect((await read())?.budget).toEqual({ amount: { amount: '5' }, remaining: { amount: '5' } });
    await ask(`mutation { removeBudget(id: "${data.setBudget.id}") }`);
  });

  it('rejects an invalid interval', async () => {
    const { value } = await client.iterate<Ticked>({ query: ticks, variables: { interval: 0 } }).next();
    expect(value?.errors?.[0]?.extensions).toMatchObject({ code: 'bad_user_input', param: 'interval' });
  });
});
