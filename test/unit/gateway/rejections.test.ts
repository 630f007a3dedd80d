import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../harness/gateway.ts';

describe('the record of rejected requests', () => {
  let clock: FakeClock;
  let gateway: TestGateway;

  async function start(options: GatewayOptions = {}): Promise<void> {
    clock = new FakeClock();
    gateway = await startGateway({ pipelineClock: clock, ...options });
  }

  beforeEach(() => start());
  afterEach(() => gateway.close());

  async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    await response.text();
    return response.status;
  }

  const chat = (model: string): Promise<number> =>
    post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });

  const counted = (records: readonly UsageRecord[]): number =>
    records.reduce((sum, { units }) => sum + (units?.requests ?? 1), 0);

  it.each<readonly [string, () => Promise<number>, Partial<UsageRecord>]>([
    ['a body that is no JSON', () => post('/v1/chat/completions', '{'), { http_status: 400, capability: 'chat' }],
    [
      'a wrong value',
      () => post('/v1/chat/completions', { model: 'sandbox/chat', messages: 7 }),
      { http_status: 400, requested_model: 'sandbox/chat' },
    ],
    ['an unknown model', () => chat('gpt-none'), { http_status: 404, requested_model: 'gpt-none', model: '' }],
    ['an unknown URL', () => post('/v1/nothing', {}), { http_status: 404, capability: 'other' }],
    [
      'a wrong content type',
      () => post('/v1/embeddings', 'x', { 'content-type': 'text/plain' }),
      { capability: 'embeddings' },
    ],
    [
      'wrong tags',
      () => post('/v1/rerank', {}, { 'x-sluice-tags': '=' }),
      { http_status: 400, capability: 'rerank', error_code: 'invalid_value' },
    ],
  ])('contains %s', async (_name, send, expected) => {
    const status = await send();
    const records = gateway.rejected();
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ status: 'rejected', http_status: status, cost_nano: '0', ...expected });
  });

  const message = { role: 'user', content: 'Hello' };
  it.each<readonly [string, string, unknown, Partial<UsageRecord>]>([
    ['/v1/chat/completions', 'gpt-cut', '{"model":"gpt-cut","messages":[', { protocol: 'chat-completions' }],
    ['/v1/chat/completions', 'gpt-none', { model: 'gpt-none', messages: [message] }, { protocol: 'chat-completions' }],
    [
      '/v1/completions',
      'sandbox/chat',
      { model: 'sandbox/chat', Model: 'x', prompt: 'a' },
      { protocol: 'completions' },
    ],
    ['/v1/messages', 'sandbox/chat', { model: 'sandbox/chat', messages: 7 }, { protocol: 'messages' }],
    ['/v1/messages/count_tokens', 'gpt-none', { model: 'gpt-none', messages: [message] }, { protocol: 'messages' }],
    ['/v1beta/models/gpt-none:generateContent', 'gpt-none', { contents: [] }, { protocol: 'gemini' }],
    ['/v1beta/models/a%2Fb:generateContent', 'a/b', '{', { protocol: 'gemini' }],
    ['/v1beta/models/gpt-none:embedContent', 'gpt-none', '{', { capability: 'embeddings' }],
    ['/openai/deployments/mine/embeddings?api-version=2024-10-21', 'mine', { input: 7 }, { capability: 'embeddings' }],
    ['/v1/rerank', 'rerank-none', { model: 'rerank-none', Model: 'x', query: 'a' }, { capability: 'rerank' }],
    ['/v2/rerank', 'rerank-none', { query: 'a', model: 'rerank-none', documents: 7 }, { capability: 'rerank' }],
    ['/v1/moderations', 'm-1', { model: 'm-1', input: 7 }, { capability: 'moderation' }],
  ])('names the model and the protocol of a request to %s for %s', async (path, model, body, expected) => {
    const status = await post(path, body);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(gateway.rejected()).toMatchObject([
      { http_status: status, requested_model: model, provider: '', attempts: [], ...expected },
    ]);
  });

  it('names the model within bounds and as storable text', async () => {
    await post('/v1/chat/completions', JSON.stringify({ model: `a\u0000\ud800${'m'.repeat(5_000)}`, messages: 1 }));
    const [record] = gateway.rejected();
    expect(record?.requested_model).toMatch(/^a\ufffdm+$/);
    expect(record?.requested_model.length).toBeLessThanOrEqual(256);
  });

  it('contains requests of a key without the scope, and none without a key', async () => {
    await gateway.close();
    await start({ key: { scopes: new Set(['read']) } });
    expect(await chat('sandbox/chat')).toBe(403);
    expect(await post('/v1/chat/completions', {}, { authorization: 'Bearer sk-sluice-stranger' })).toBe(401);
    expect(gateway.rejected()).toMatchObject([{ error_code: 'insufficient_scope', capability: 'chat' }]);
  });

  it('contains requests rejected by a limit, with the resolved model', async () => {
    await gateway.close();
    const limits = { requestsPerMinute: 1, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: Infinity };
    await start({ key: { limits } });
    expect(await chat('sandbox/chat')).toBe(200);
    expect(await chat('sandbox/chat')).toBe(429);
    expect(gateway.rejected()).toMatchObject([
      { status: 'rejected', http_status: 429, model: 'sandbox/chat', provider: '' },
    ]);
  });

  it('counts repeats of a minute exactly, in one record at its end', async () => {
    for (let sent = 0; sent < 40; sent++) await chat('gpt-none');
    expect(gateway.rejected()).toHaveLength(5);
    clock.advance(60_000);
    const records = gateway.rejected();
    expect(records).toHaveLength(6);
    expect(counted(records)).toBe(40);
    expect(new Set(records.map(({ event_id: id }) => id)).size).toBe(6);
  });

  it('adds a bounded number of records in a flood, and counts every request', async () => {
    for (let sent = 0; sent < 100; sent++) await chat(`gpt-${sent}`);
    clock.advance(60_000);
    const records = gateway.rejected();
    expect(records.length).toBeLessThanOrEqual(18);
    expect(counted(records)).toBe(100);
  });

  it('counts them in /metrics', async () => {
    await chat('gpt-none');
    await post('/v1/nothing', {});
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(page).toContain('sluice_requests_rejected_total{capability="chat",code="model_not_found"} 1\n');
    expect(page).toContain('sluice_requests_rejected_total{capability="other",code="unknown_url"} 1\n');
  });
});
