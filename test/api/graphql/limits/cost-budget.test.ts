import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startConfigured } from '../../../harness/configured-server.ts';
import { post } from '../../../harness/graphql-client.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

describe('a server with a small budget', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    const limits = 'graphql: { limits: { cost: 210, cost_per_minute: 210 } }';
    server = await startConfigured(limits, {}, { TRUST_PROXY_HOPS: '1' });
  });

  afterAll(() => server.dispose());

  const query = '{ apiKeys(first: 100) { nodes { limits { concurrency } } } }';

  it('returns the retry time when it is exhausted, over both transports', async () => {
    const authorization = `Bearer ${server.apiKey}`;
    expect((await post(server.url, { query }, { authorization })).code).toBeNull();
    const refused = await post(server.url, { query }, { authorization });
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(61);
    expect(Math.ceil(Number(refused.headers.get('retry-after-ms')) / 1_000)).toBe(seconds);
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

  it('counts invalid credentials by address', async () => {
    const guess = (n: number, from?: string) =>
      post(
        server.url,
        { query: '{ viewer { role } apiKeys(first: 100) { totalCount nodes { limits { concurrency } } } }' },
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
