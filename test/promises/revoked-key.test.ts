import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createDatabase, dropDatabase } from '../harness/create-database.ts';
import { post } from '../harness/graphql-client.ts';
import { serverPostgres } from '../harness/postgres.ts';
import { TEST_SECRET } from '../harness/product-template.ts';
import { startNewServer, type ServerProcess } from '../harness/server-process.ts';
import { shared } from '../harness/shared-resources.ts';
import { medianOf, millisecondsOf } from './median.ts';

describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('a key that is revoked', () => {
  let removeDatabase: () => Promise<void>;
  let one: ServerProcess;
  let another: ServerProcess;
  const clients: Client[] = [];

  beforeAll(async () => {
    const { adminUrl, template } = await shared('migratedDatabase');
    const { name, url } = await createDatabase(adminUrl, template);
    removeDatabase = () => dropDatabase(adminUrl, name);
    one = await startNewServer({ DATABASE_URL: url, SLUICE_SECRET: TEST_SECRET, SLUICE_SANDBOX: 'on' });
    another = await one.another();
  });

  afterAll(async () => {
    for (const client of clients) await client.dispose();
    await another.dispose();
    await one.dispose();
    await removeDatabase();
  });

  async function ask(query: string) {
    const { data } = await post(one.url, { query }, { authorization: `Bearer ${one.apiKey}` });
    return data ?? {};
  }

  async function newKey(): Promise<{ secret: string; revoke(): Promise<unknown> }> {
    const { createApiKey } = await ask(
      'mutation { createApiKey(input: { name: "k", scopes: [INFERENCE, READ] }) { secret apiKey { id } } }',
    );
    const { secret, apiKey } = createApiKey;
    return { secret, revoke: () => ask(`mutation { revokeApiKey(id: "${apiKey.id}") { id } }`) };
  }

  async function statusAt({ url }: ServerProcess, secret: string): Promise<number> {
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
    await response.arrayBuffer();
    return response.status;
  }

  it('is refused by another process within 1 s', async () => {
    const median = await medianOf(async () => {
      const { secret, revoke } = await newKey();
      expect(await statusAt(another, secret)).toBe(200);
      await revoke();
      return millisecondsOf(async () => {
        while ((await statusAt(another, secret)) !== 401);
      });
    });
    expect(median).toBeLessThan(1_000);
  });

  it('has its sockets at another process closed within 5 s', async () => {
    const median = await medianOf(async () => {
      const { secret, revoke } = await newKey();
      const connected = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      const client = createClient({
        url: `${another.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${secret}` },
        retryAttempts: 0,
        lazy: false,
        onNonLazyError: () => undefined,
        on: { connected: () => connected.resolve(), closed: () => closed.resolve() },
      });
      clients.push(client);
      await connected.promise;
      await revoke();
      return millisecondsOf(() => closed.promise);
    });
    expect(median).toBeLessThan(5_000);
  });
});
