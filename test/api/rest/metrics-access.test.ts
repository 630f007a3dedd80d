import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../harness/raw-http.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const response = await fetch(url, { headers });
  await response.text();
  return response.status;
}

describe('metrics without configuration', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server.dispose());

  it('are readable from the machine of the server', async () => {
    expect(await statusOf(`${server.url}/metrics`)).toBe(200);
    expect(await statusOf(`${server.url.replace('127.0.0.1', 'localhost')}/metrics`)).toBe(200);
  });

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'are not readable through a proxy that sends %s',
    async (name) => {
      const response = await fetch(`${server.url}/metrics`, { headers: { [name]: '127.0.0.1' } });
      expect(response.status).toBe(401);
      const message = expect.stringContaining('SLUICE_METRICS_TOKEN');
      expect(await response.json()).toMatchObject({ error: { code: 'metrics_not_allowed', message } });
    },
  );

  it('are not readable for a page of another site whose name resolves to this server', async () => {
    const answer = await exchange(server.url, 'GET /metrics HTTP/1.1\r\nhost: evil.example\r\n\r\n');
    expect(answer.status).toBe(401);
  });
});

describe('metrics with a token and a separate address', () => {
  const token = 'a-token-for-prometheus';
  let server: ServerProcess;

  beforeAll(async () => {
    const env = { SLUICE_METRICS_TOKEN: token, SLUICE_METRICS_ADDRESS: '127.0.0.1:0', LOG_LEVEL: 'info' };
    server = await startServer(env);
  });

  afterAll(() => server.dispose());

  it.each([
    ['none', undefined, 401],
    ['a wrong one', 'Bearer another', 401],
    ['the right one', `Bearer ${token}`, 200],
  ])('require the token: %s', async (_what, authorization, status) => {
    const [, own = ''] = /"url":"([^"]+\/metrics)"/.exec(server.output()) ?? [];
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const url of [`${server.url}/metrics`, own]) expect(await statusOf(url, headers)).toBe(status);
    expect(await statusOf(own.replace('/metrics', '/v1/models'), headers)).toBe(404);
  });
});
