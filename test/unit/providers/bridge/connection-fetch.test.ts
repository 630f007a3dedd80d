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
])('what says who asks by %s goes to the provider as it is dialled', async (name, value) => {
  const answer = await connection.fetch(server.url, { headers: { [name]: value } });
  expect(await answer.json()).toEqual({ fine: true });
});

it('what an answer points to is dialled under guard', async () => {
  const count = server.requests.length;
  await expect(connection.fetch(`${server.url}/result.png`)).rejects.toMatchObject({ code: 'provider_unreachable' });
  expect(server.requests).toHaveLength(count);
});
