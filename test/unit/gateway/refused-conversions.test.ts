import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const user = { role: 'user', content: 'Hello' };
const strict = 'routing:\n  parameters: strict\n';

describe('requests that no provider can be sent', () => {
  let provider: FakeProvider;
  let gateway: TestGateway;

  beforeEach(async () => {
    provider = await startFakeProvider();
    gateway = await startGateway({
      providers: { openai: provider.url, anthropic: new URL(provider.url).origin },
      config: strict,
    });
  });
  afterEach(async () => {
    await gateway.close();
    await provider.close();
  });

  async function post(path: string, body: unknown): Promise<Response> {
    return fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  const image = { type: 'image', source: { type: 'file', file_id: 'file_none' } };
  it.each<readonly [string, string, object, object]>([
    [
      'Messages',
      '/v1/messages',
      { model: 'openai/gpt-4.1-mini', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'novel' }] }] },
      { protocol: 'messages' },
    ],
    [
      'Messages with a file of nobody',
      '/v1/messages',
      { model: 'openai/gpt-4.1-mini', max_tokens: 9, messages: [{ role: 'user', content: [image] }] },
      { protocol: 'messages' },
    ],
    [
      'Gemini',
      '/v1beta/models/openai%2Fgpt-4.1-mini:generateContent',
      { contents: [{ role: 'user', parts: [{ novel: {} }] }] },
      { protocol: 'gemini' },
    ],
    [
      'Completions',
      '/v1/completions',
      { model: 'anthropic/claude-sonnet-4-5', prompt: 'a', suffix: 'b' },
      { protocol: 'completions' },
    ],
    [
      'Chat Completions with a parameter that is refused by name',
      '/v1/chat/completions',
      { model: 'anthropic/claude-sonnet-4-5', messages: [user], logit_bias: { 1: 1 } },
      { protocol: 'chat-completions' },
    ],
  ])('are rejected, of no provider and free: %s', async (_name, path, body, expected) => {
    const response = await post(path, body);
    await response.text();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(response.headers.get('x-sluice-provider')).toBeNull();
    expect(gateway.settled()).toEqual([]);
    expect(gateway.rejected()).toMatchObject([
      { status: 'rejected', http_status: response.status, provider: '', cost_nano: '0', attempts: [], ...expected },
    ]);
    expect(provider.requests).toHaveLength(0);
    expect(gateway.rest.metrics.capability('chat').openRequests).toBe(0);
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(page).not.toContain('sluice_model_requests_total{');
    expect(page).toMatch(/sluice_requests_rejected_total\{capability="chat",code="[a-z_]+"\} 1\n/);
  });

  it('are bounded in number, and counted', async () => {
    const body = {
      model: 'openai/gpt-4.1-mini',
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'x' }] }],
    };
    for (let sent = 0; sent < 20; sent++) await (await post('/v1/messages', body)).text();
    await gateway.pipeline.stop(0);
    const records = gateway.rejected();
    expect(records.length).toBeLessThanOrEqual(6);
    expect(records.reduce((sum, { units }) => sum + (units?.requests ?? 1), 0)).toBe(20);
  });

  it('are failed where another provider was called before', async () => {
    await gateway.close();
    gateway = await startGateway({
      providers: { openai: provider.url, anthropic: new URL(provider.url).origin },
      config: `${strict}routes:\n  both: { targets: [openai/gpt-4.1-mini, anthropic/claude-sonnet-4-5] }\n`,
    });
    provider.answerWith(json(500, { error: { message: 'broken' } }));
    const response = await post('/v1/chat/completions', { model: 'both', messages: [user], logit_bias: { 1: 1 } });
    expect(response.status).toBe(502);
    expect(gateway.settled()).toMatchObject([{ status: 'failed', provider: 'openai' }]);
    expect(gateway.rejected()).toEqual([]);
  });
});
