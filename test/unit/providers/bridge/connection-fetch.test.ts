import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConnectionFetch } from '../../../../src/providers/bridge/package/connection-fetch.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';

let server: FakeProvider;
let connection: ConnectionFetch;

beforeAll(async () => {
  server = await startFakeProvider(json(200, { fine: true }));
  connection = new ConnectionFetch('replicate', {
    id: 'replicate',
    apiKey: 'key',
    baseUrl: undefined,
    connectTimeoutMs: 60_000,
    options: {},
    foreignDial: (_options, done) => done(new Error('not on the public internet'), null),
  });
});
afterAll(async () => {
  await connection.close();
  await server.close();
});

it.each([
  ['authorization', 'Bearer key'],
  ['x-key', 'key'],
  ['xi-api-key', 'key'],
])('a request with credentials in %s uses the connection’s own dialler', async (name, value) => {
  const answer = await connection.fetch(server.url, { headers: { [name]: value } });
  expect(await answer.json()).toEqual({ fine: true });
});

it('a URL in a response is dialled by the guarded dialler', async () => {
  const count = server.requests.length;
  await expect(connection.fetch(`${server.url}/result.png`)).rejects.toMatchObject({ code: 'provider_unreachable' });
  expect(server.requests).toHaveLength(count);
});
