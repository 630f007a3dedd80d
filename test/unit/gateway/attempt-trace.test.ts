import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, stream, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const config = 'routes:\n  both: { targets: [openai/gpt-4.1-mini, anthropic/claude-sonnet-4-5] }\n';

describe('what the usage log says of attempts', () => {
  let openai: FakeProvider;
  let anthropic: FakeProvider;
  let gateway: TestGateway;

  beforeEach(async () => {
    [openai, anthropic] = await Promise.all([startFakeProvider(), startFakeProvider()]);
    const providers = { openai: openai.url, anthropic: anthropic.url.replace(/\/v1$/, '') };
    gateway = await startGateway({ providers, config });
  });
  afterEach(async () => {
    await gateway.close();
    await Promise.all([openai.close(), anthropic.close()]);
  });

  async function chat(body: object): Promise<number> {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
    });
    await response.text();
    return response.status;
  }

  it('includes the provider’s request ID, and no rate limits of a success', async () => {
    const answer = completion();
    openai.answerWith((request, response) => {
      response.setHeader('x-request-id', 'req_of_openai').setHeader('x-ratelimit-limit-requests', '500');
      return answer(request, response);
    });
    expect(await chat({ model: 'openai/gpt-4.1-mini' })).toBe(200);
    const [record] = await gateway.settledCount(1);
    expect(record?.attempts).toMatchObject([{ status: 200, request_id: 'req_of_openai' }]);
    expect(record?.attempts[0]).not.toHaveProperty('rate_limits');
    expect(record?.attempts[0]).not.toHaveProperty('head_ms');
  });

  it('includes the head of a stream', async () => {
    openai.answerWith(stream(['Hello']));
    await chat({ model: 'openai/gpt-4.1-mini', stream: true });
    const [record] = await gateway.settledCount(1);
    expect(record?.attempts[0]?.head_ms).toBeGreaterThanOrEqual(0);
  });

  it('includes the start of each attempt, and the rate limits and ID of a failed one, within bounds', async () => {
    openai.answerWith((_request, response) => {
      for (let index = 0; index < 30; index++) response.setHeader(`x-ratelimit-extra-${index}`, '9'.repeat(200));
      response.setHeader('x-request-id', 'req_refused').writeHead(429, { 'retry-after': '7' }).end('{"error":{}}');
    });
    anthropic.answerWith((_request, response) => {
      response.writeHead(500, { 'request-id': 'req_of_anthropic', 'anthropic-ratelimit-requests-remaining': '3' });
      response.end('{}');
    });
    expect(await chat({ model: 'both' })).toBeGreaterThanOrEqual(429);
    const [record] = await gateway.settledCount(1);
    expect(record?.attempts).toMatchObject([
      { provider: 'openai', status: 429, request_id: 'req_refused' },
      {
        provider: 'anthropic',
        status: 500,
        request_id: 'req_of_anthropic',
        rate_limits: { 'anthropic-ratelimit-requests-remaining': '3' },
      },
    ]);
    const [first, second] = record?.attempts ?? [];
    const limits = Object.values(first?.rate_limits ?? {});
    expect(limits).toHaveLength(16);
    expect(Math.max(...limits.map(({ length }) => length))).toBe(128);
    expect(second?.started_ms ?? 0).toBeGreaterThanOrEqual(first?.started_ms ?? 0);
  });
});
