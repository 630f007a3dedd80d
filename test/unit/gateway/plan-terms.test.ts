import OpenAI from 'openai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { explainCost } from '../../../src/catalogue/prices/explain-cost.ts';
import { tokenUsage } from '../../../src/gateway/capabilities/capability.ts';
import type { PlanTerms } from '../../../src/gateway/keys/key-directory.ts';
import { chat } from '../../../src/gateway/capabilities/chat/chat.ts';
import { buildReservation } from '../../../src/gateway/usage/build-reservation.ts';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import type { ClientResponse } from '../../../src/gateway/client-response.ts';
import { addCommon } from '../../../src/gateway/usage/journal/common-members.ts';
import { eachLine } from '../../../src/gateway/usage/journal/journal-lines.ts';
import { UsageJournal } from '../../../src/gateway/usage/journal/usage-journal.ts';
import { lineHead, ownMembers } from '../../../src/gateway/usage/usage-line.ts';
import { interruptedLine } from '../../../src/gateway/usage/journal/interrupted-line.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { completion, startFakeProvider, stream, type FakeProvider } from '../../harness/fake-provider.ts';
import { key, secret, startGateway, type GatewayOptions, type TestGateway } from '../../harness/gateway.ts';
import { boundsOf } from '../../../src/gateway/limits/limit-store.ts';

const open: PlanTerms = { id: 'free', capabilities: null, models: null, markupPpm: 0, overage: 'bill' };
const nowhere: ClientResponse = {
  head: () => undefined,
  write: () => true,
  end: () => undefined,
  fail: () => undefined,
  abort: () => undefined,
};
const anyBudget: Budget = {
  id: 'key:one',
  subject: 'key',
  accountId: key.accountId,
  amountNano: 1_000_000_000n,
  period: 'TOTAL',
  timeZone: 'UTC',
};
const hello = { messages: [{ role: 'user' as const, content: 'Hello' }] };
const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

async function start(plan: Partial<PlanTerms>, options: GatewayOptions = {}): Promise<void> {
  provider = await startFakeProvider(completion({ usage }));
  const caller = { ...options.key, plan: Object.freeze({ ...open, ...plan }) };
  gateway = await startGateway({ openai: provider.url, ...options, key: caller });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
}

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

describe('a capability outside the plan', () => {
  it('is rejected with a hint, and is free', async () => {
    await start({ capabilities: new Set(['chat']) });
    const refused = client.embeddings.create({ model: 'openai/text-embedding-3-small', input: 'Hello' });
    await expect(refused).rejects.toMatchObject({
      status: 403,
      code: 'capability_not_in_plan',
      type: 'invalid_request_error',
      message: expect.stringContaining(
        'The plan free does not include embeddings. An owner of the account can change the plan',
      ),
    });
    expect(provider.requests).toEqual([]);
    await client.chat.completions.create({ model: 'openai/gpt-5', ...hello });
    expect((await gateway.settledCount(1)).map(({ capability }) => capability)).toEqual(['chat']);
  });

  it('does not block moderation that the operator configured', async () => {
    await start(
      { capabilities: new Set(['chat']), models: ['sandbox/chat'] },
      { config: 'routing: { moderation: { model: sandbox/moderation, check: [input], action: block } }' },
    );
    const answer = await client.chat.completions.create({ model: 'sandbox/chat', ...hello });
    expect(answer.choices[0]?.message.content).toBeTruthy();
    await expect(client.moderations.create({ input: 'Hello' })).rejects.toMatchObject({ status: 403 });
  });
});

describe('a model outside the plan', () => {
  it('is like a model that the key may not use', async () => {
    await start({ models: ['openai/gpt-5', 'gpt-4.1-mini'] });
    const ask = (model: string) => client.chat.completions.create({ model, ...hello });
    expect((await ask('openai/gpt-5')).object).toBe('chat.completion');
    expect((await ask('openai/gpt-4.1-mini')).object).toBe('chat.completion');
    await expect(ask('openai/gpt-4.1')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    await expect(ask('sandbox/chat')).rejects.toMatchObject({ status: 404 });
    const listed = (await client.models.list()).data.map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining(['openai/gpt-5', 'openai/gpt-4.1-mini']));
    expect(listed.filter((id) => !['openai/gpt-5', 'openai/gpt-4.1-mini'].includes(id))).toEqual([]);
    await expect(client.models.retrieve('sandbox/chat')).rejects.toMatchObject({ status: 404 });
  });

  it('is not reachable by a route, even if the key or the plan lists the route', async () => {
    await start(
      { models: ['openai/gpt-5', 'mixed', 'closed'] },
      {
        config: 'routes: { mixed: { targets: [sandbox/chat, openai/gpt-5] }, closed: { targets: [sandbox/chat] } }',
        key: { allowedModels: ['mixed', 'closed'] },
      },
    );
    const { response } = await client.chat.completions.create({ model: 'mixed', ...hello }).withResponse();
    expect(response.headers.get('x-sluice-model')).toBe('openai/gpt-5');
    await expect(client.chat.completions.create({ model: 'closed', ...hello })).rejects.toMatchObject({ status: 404 });
  });

  it('is not served from the cache either', async () => {
    await start(
      { models: ['openai/gpt-5'] },
      { config: 'routes: { both: { targets: [openai/gpt-4.1, openai/gpt-5], cache: 60 } }' },
    );
    const first = await client.chat.completions.create({ model: 'both', ...hello }).withResponse();
    const second = await client.chat.completions.create({ model: 'both', ...hello }).withResponse();
    expect(first.response.headers.get('x-sluice-model')).toBe('openai/gpt-5');
    expect(second.response.headers.get('x-sluice-cache')).toBe('hit');
  });
});

describe('a plan’s markup', () => {
  // GPT-5 of the catalogue: 1.25 and 10 USD a million: 1,250,000 + 1,000,000 nano-USD.
  it('is in the cost of a response, its record, and the explanation', async () => {
    await start({ markupPpm: 125_000 });
    const { response } = await client.chat.completions.create({ model: 'openai/gpt-5', ...hello }).withResponse();
    expect(response.headers.get('x-sluice-cost')).toBe('0.00253125');
    const [row] = await gateway.settledCount(1);
    expect(row).toMatchObject({ cost_nano: '2531250', markup_ppm: 125_000 });
    if (!row?.rates) throw new Error('no rates were recorded');
    const steps = explainCost(row.rates, tokenUsage(row.input_tokens, row.output_tokens), row.markup_ppm ?? 0);
    expect(steps.map(({ label, amountNano }) => [label, amountNano])).toEqual([
      ['input tokens', 1_250_000n],
      ['output tokens', 1_000_000n],
      ['mark-up', 281_250n],
    ]);
  });

  it('is in the cost of a stream’s last chunk', async () => {
    await start({ markupPpm: 1_000_000 });
    provider.answerWith(stream(['Hel', 'lo']));
    const chunks = await client.chat.completions.create({
      model: 'openai/gpt-5',
      stream: true,
      stream_options: { include_usage: true },
      ...hello,
    });
    let cost: unknown;
    for await (const { usage: last } of chunks) if (last) cost = 'cost' in last ? last.cost : undefined;
    const [row] = await gateway.settledCount(1);
    expect(cost).toBe(Number(row?.cost_nano) / 1e9);
    const { rates, input_tokens: input, output_tokens: output, cached_tokens: cachedTokens } = row ?? {};
    if (!rates || input === undefined || output === undefined) throw new Error('no rates were recorded');
    const plain = explainCost(rates, { ...tokenUsage(input, output), cachedTokens: cachedTokens ?? 0 });
    expect(BigInt(row?.cost_nano ?? 0)).toBe(2n * plain.reduce((sum, { amountNano }) => sum + amountNano, 0n));
  });

  it('does not apply to free models', async () => {
    await start({ markupPpm: 500_000 });
    const { response } = await client.chat.completions.create({ model: 'sandbox/chat', ...hello }).withResponse();
    expect(response.headers.get('x-sluice-cost')).toBe('0');
    expect(await gateway.settledCount(1)).toMatchObject([{ cost_nano: '0' }]);
  });

  it('of zero is omitted in the record', async () => {
    await start({});
    await client.chat.completions.create({ model: 'openai/gpt-5', ...hello });
    const [row] = await gateway.settledCount(1);
    expect(row).toMatchObject({ cost_nano: '2250000' });
    expect(row).not.toHaveProperty('markup_ppm');
    expect(row).not.toHaveProperty('tags');
  });

  it('is in the reservation of a request', async () => {
    await start({});
    const route = gateway.router.resolve('openai/gpt-5', { accountId: '' });
    if (route === undefined) throw new Error('no route');
    const request = { model: 'openai/gpt-5', ...hello, max_completion_tokens: 100 };
    const held = (markupPpm: number): bigint => {
      const caller = { ...key, budgets: [anyBudget], plan: { ...open, markupPpm } };
      const call = {
        ...newEventIds(),
        key: caller,
        startedAt: 0,
        response: nowhere,
        cacheMs: null,
        tags: null,
        watch: null,
      };
      const expected = { input: 1_000, output: 100, unread: 0 };
      return buildReservation(chat, call, route, request, expected, boundsOf(caller), Date.now()).costNano;
    };
    expect(held(0)).toBeGreaterThan(0n);
    expect(held(1_000_000)).toBe(2n * held(0));
  });

  it('is also in the record of an interrupted request, with its tags', async () => {
    await start({ markupPpm: 100_000 });
    await client.chat.completions.create({ model: 'openai/gpt-5', ...hello });
    const [row] = await gateway.settledCount(1);
    const caller = { ...key, plan: { ...open, markupPpm: 100_000 } };
    const call = {
      ...newEventIds(),
      key: caller,
      startedAt: 0,
      response: nowhere,
      cacheMs: null,
      tags: null,
      watch: null,
    };
    const target = gatewayTarget();
    const admitted = {
      target,
      capability: 'chat',
      protocol: 'chat-completions' as const,
      requestedModel: target.model,
      routedName: 'x',
      decision: null,
      routeName: '',
      streamed: false,
      endUser: null,
      tags: { team: 'search' },
      trace: { sessionId: 'run', parentId: null, traceId: null },
      inputTokens: 1_000,
      isBounded: false,
    };
    const folder = mkdtempSync(join(tmpdir(), 'sluice-plan-'));
    const journal = new UsageJournal(folder, { error: () => undefined, info: () => undefined });
    const begun = `${lineHead(journal, call, target, admitted)}${ownMembers(call, Date.now(), admitted)},"input_tokens":1000}`;
    journal.flush();
    const commons = new Map<number, string>();
    eachLine(readFileSync(journal.current.path), (_kind, _id, text) => addCommon(commons, text));
    journal.close();
    rmSync(folder, { recursive: true });
    expect(JSON.parse(interruptedLine(begun, commons) ?? '')).toMatchObject({
      account_id: caller.accountId,
      api_key_id: caller.id,
      model: target.model,
      requested_model: target.model,
      input_tokens: 1_000,
      status: 'interrupted',
      rates: row?.rates,
      cost_nano: '1375000',
      markup_ppm: 100_000,
      tags: { team: 'search' },
      session_id: 'run',
    });
  });
});

function gatewayTarget() {
  const target = gateway.router.resolve('openai/gpt-5', { accountId: '' })?.listed[0];
  if (target === undefined) throw new Error('no route');
  return target;
}
