import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CostMeter } from '../../../src/graphql/limits/cost-meter.ts';
import { startConfigured } from '../../harness/configured-server.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { post } from '../../harness/graphql-client.ts';
import type { ServerProcess } from '../../harness/server-process.ts';

describe('a budget of points', () => {
  it('flows back over a minute, and is each caller’s own', () => {
    const clock = new FakeClock();
    const meter = new CostMeter(600, clock);
    const resetAt = new Date(clock.now() + 50_000);
    expect(meter.spend('a', 500)).toMatchObject({ granted: true, remaining: 100, resetAt });
    expect(meter.spend('a', 200)).toMatchObject({ granted: false, remaining: 100, retryAfterMs: 10_000 });
    expect(meter.spend('b', 600)).toMatchObject({ granted: true, remaining: 0 });
    clock.advance(9_999);
    expect(meter.spend('a', 200).granted).toBe(false);
    clock.advance(2);
    expect(meter.spend('a', 200).granted).toBe(true);
    clock.advance(600_000);
    expect(meter.spend('a', 600)).toMatchObject({ granted: true, remaining: 0 });
  });
});

describe('a server with a small budget', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    const limits = 'graphql: { limits: { cost: 300, cost_per_minute: 300 } }';
    server = await startConfigured(limits, {}, { TRUST_PROXY_HOPS: '1' });
  });

  afterAll(() => server.dispose());

  const query = '{ apiKeys(first: 100) { nodes { limits { concurrency } } } }';

  it('tells who has used it up when to come again, over both transports', async () => {
    const authorization = `Bearer ${server.apiKey}`;
    expect((await post(server.url, { query }, { authorization })).code).toBeNull();
    const refused = await post(server.url, { query }, { authorization });
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(61);
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
    });
    const told = await client
      .iterate({ query })
      .next()
      .catch((errors: unknown) => errors);
    expect(told).toMatchObject([{ extensions: { code: 'rate_limited', retryAfterMs: expect.any(Number) } }]);
    await client.dispose();
  });

  it('gives wrong credentials none of their own: they count by address', async () => {
    const guess = (n: number, from?: string) =>
      post(
        server.url,
        { query: '{ viewer { role } apiKeys(first: 80) { totalCount nodes { limits { concurrency } } } }' },
        {
          authorization: `Bearer sk-sluice-wrong-${n}`,
          ...(from !== undefined && { 'x-forwarded-for': from }),
        },
      );
    expect((await guess(1)).code).toBe('invalid_api_key');
    expect((await guess(2)).code).toBe('rate_limited');
    // Whoever has an IPv6 address has a network of them.
    expect((await guess(3, '2001:db8:1:2::1')).code).toBe('invalid_api_key');
    expect((await guess(4, '2001:db8:1:2::2')).code).toBe('rate_limited');
    expect((await guess(5, '2001:db8:1:3::1')).code).toBe('invalid_api_key');
  });
});
