import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delay, systemClock } from '../../../src/calendar/clock.ts';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { startCluster, type RunningCluster } from '../../harness/redis-cluster.ts';
import { describeWithRedis, UNREACHED_TIMEOUT_MS } from '../../harness/redis.ts';
import { startNewServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';

/** Of 100 tokens at a dollar a million. */
const REQUEST_NANO = 100_000;
const REQUESTS = 10;
const HELD = 4;
const ASKED = 50;
const RETRY_MS = 100;

describeWithRedis('two processes on one PostgreSQL and one Redis Cluster', () => {
  describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('with REDIS_URL', () => {
    let cluster: RunningCluster;
    let one: ServerProcess;
    let another: ServerProcess;
    let removeDatabase: () => Promise<void>;
    let provider: FakeProvider;
    let folder: string;

    beforeAll(async () => {
      const { adminUrl, template } = await shared('migratedDatabase');
      const { name, url } = await createDatabase(adminUrl, template);
      removeDatabase = () => dropDatabase(adminUrl, name);
      cluster = await startCluster();
      provider = await startFakeProvider();
      folder = mkdtempSync(join(tmpdir(), 'sluice-processes-'));
      const config = join(folder, 'sluice.yaml');
      writeFileSync(config, 'models:\n  openai/priced: { input: "0", output: "1", max_output_tokens: 100000 }\n');
      one = await startNewServer({
        DATABASE_URL: url,
        REDIS_URL: cluster.url,
        SLUICE_REDIS_TIMEOUT_MS: String(UNREACHED_TIMEOUT_MS),
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_SANDBOX: 'on',
        SLUICE_CONFIG: config,
        OPENAI_API_KEY: 'x',
        OPENAI_BASE_URL: provider.url,
      });
      another = await one.another();
    });

    afterAll(async () => {
      await another.dispose();
      await one.dispose();
      await provider.close();
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
      await removeDatabase();
    });

    async function newKey(members: string): Promise<string> {
      const query = `mutation { createApiKey(input: { name: "k", ${members} }) { secret } }`;
      const created = await fetch(`${one.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${one.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return Object(await created.json()).data.createApiKey.secret;
    }

    function newBudget(nano: number): Promise<string> {
      const limits = 'limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, concurrency: 1000 }';
      return newKey(`${limits}, budget: { amount: "${(nano / 1e9).toFixed(9)}", period: TOTAL }`);
    }

    /** Again where Redis is not available. @returns `ok`, or the code of its refusal */
    async function ask({ url }: ServerProcess, secret: string): Promise<string> {
      for (;;) {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'openai/priced',
            max_tokens: 100,
            messages: [{ role: 'user', content: 'Hi' }],
          }),
        });
        const { error } = Object(await response.json());
        const code = error === undefined ? 'ok' : String(error.code);
        if (code !== 'limits_unavailable') return code;
        await delay(systemClock, RETRY_MS);
      }
    }

    it('overdraw no budget while each primary in turn loses its data', async () => {
      for (const node of cluster.nodes) {
        const secret = await newBudget(REQUESTS * REQUEST_NANO);
        // The other process knows this budget once it knows one that was created later.
        const probe = await newBudget(1);
        provider.answerWith(completion());
        await expect.poll(() => ask(another, probe)).toBe('insufficient_quota');
        const answered = Promise.withResolvers<void>();
        provider.answerWith(async (request, response) => {
          await answered.promise;
          const usage = { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 };
          return completion({ usage })(request, response);
        });
        const before = provider.requests.length;
        const admitted = (): number => provider.requests.length - before;
        const held = Array.from({ length: HELD }, () => ask(another, secret));
        await expect.poll(admitted).toBe(HELD);
        await node.kill();
        await node.start();
        let refused = 0;
        const asked = [one, another].flatMap((each) =>
          Array.from({ length: ASKED }, () =>
            ask(each, secret).then((code) => {
              if (code === 'insufficient_quota') refused++;
              return code;
            }),
          ),
        );
        await expect.poll(() => refused + admitted()).toBe(HELD + 2 * ASKED);
        answered.resolve();
        const codes = await Promise.all([...held, ...asked]);
        expect(codes.filter((code) => code === 'ok')).toHaveLength(REQUESTS);
        expect(refused).toBe(HELD + 2 * ASKED - REQUESTS);
      }
    });

    it('admit exactly 10 of 200 concurrent requests to a key with a limit of 10', async () => {
      // Its next request would be allowed after more than two hours.
      const secret = await newKey('limits: { requestsPerDay: 10 }');
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
