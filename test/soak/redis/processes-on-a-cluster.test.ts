import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { startCluster, type RunningCluster } from '../../harness/redis-cluster.ts';
import { describeWithRedis, UNREACHED_TIMEOUT_MS } from '../../harness/redis.ts';
import { startNewServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';

describeWithRedis('two processes on one PostgreSQL and one Redis Cluster', () => {
  describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('with REDIS_URL', () => {
    let cluster: RunningCluster;
    let one: ServerProcess;
    let another: ServerProcess;
    let removeDatabase: () => Promise<void>;

    beforeAll(async () => {
      const { adminUrl, template } = await shared('migratedDatabase');
      const { name, url } = await createDatabase(adminUrl, template);
      removeDatabase = () => dropDatabase(adminUrl, name);
      cluster = await startCluster();
      one = await startNewServer({
        DATABASE_URL: url,
        REDIS_URL: cluster.url,
        SLUICE_REDIS_TIMEOUT_MS: String(UNREACHED_TIMEOUT_MS),
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_SANDBOX: 'on',
      });
      another = await one.another();
    });

    afterAll(async () => {
      await another.dispose();
      await one.dispose();
      await cluster.stop();
      await removeDatabase();
    });

    it('admit exactly 10 of 200 concurrent requests to a key with a limit of 10', async () => {
      // Its next request would be allowed after more than two hours.
      const query = 'mutation { createApiKey(input: { name: "k", limits: { requestsPerDay: 10 } }) { secret } }';
      const created = await fetch(`${one.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${one.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { secret } = Object(await created.json()).data.createApiKey;
      const body = JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] });
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const asked = Array.from({ length: 200 }, async (_, at) => {
        const { url } = at % 2 === 0 ? one : another;
        const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
        await response.text();
        return response.status;
      });
      const statuses = await Promise.all(asked);
      expect(statuses.filter((status) => status === 200)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(190);
    });
  });
});
