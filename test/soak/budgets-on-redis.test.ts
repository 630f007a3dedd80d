import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import OpenAI, { APIError } from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnEachDatabase } from '../harness/databases.ts';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { describeWithRedis, startRedis, type RunningRedis } from '../harness/redis.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const REQUESTS = 10;
/** Of 100 tokens at a dollar a million. */
const REQUEST_NANO = 100_000;

const created = z.object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) });
const listed = z.object({
  data: z.object({ budgets: z.array(z.object({ spent: z.object({ amount: z.string() }) })) }),
});

describeOnEachDatabase('a budget in Redis', (databases) => {
  describeWithRedis('with REDIS_URL', () => {
    let folder: string;
    let redis: RunningRedis;
    let provider: FakeProvider;
    let servers: ServerProcess[];

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sluice-budgets-'));
      const config = join(folder, 'sluice.yaml');
      writeFileSync(config, 'models:\n  openai/priced: { input: "0", output: "1", max_output_tokens: 100000 }\n');
      redis = await startRedis();
      provider = await startFakeProvider(
        completion({ usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 } }),
      );
      // The embedded database has one opener.
      const url = databases.kind === 'server' ? (await databases.place()).url : undefined;
      const first = await startServer({
        ...(url !== undefined && { DATABASE_URL: url }),
        REDIS_URL: redis.url,
        SLUICE_SECRET: 'a master key for tests, which is long enough',
        SLUICE_CONFIG: config,
        OPENAI_API_KEY: 'x',
        OPENAI_BASE_URL: provider.url,
      });
      servers = url === undefined ? [first] : [first, await first.another()];
    });

    afterEach(async () => {
      for (const each of servers.toReversed()) await each.dispose();
      await provider.close();
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function graphql(query: string): Promise<unknown> {
      const [server] = servers;
      const response = await fetch(`${server?.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server?.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return response.json();
    }

    async function spent(): Promise<number> {
      const { budgets } = listed.parse(await graphql('{ budgets { spent { amount } } }')).data;
      return Math.round(Number(budgets[0]?.spent.amount) * 1e9);
    }

    /** @returns for each request `ok`, or the code of its refusal */
    function ask(server: ServerProcess, apiKey: string, count: number): Promise<(string | null | undefined)[]> {
      const client = new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
      const request = { model: 'openai/priced', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] };
      return Promise.all(
        Array.from({ length: count }, () =>
          client.chat.completions.create(request).then(
            () => 'ok',
            (error: unknown) => (error instanceof APIError ? error.code : String(error)),
          ),
        ),
      );
    }

    it('holds for all servers together, and again with what was spent after Redis was emptied', async () => {
      const usd = ((REQUESTS * REQUEST_NANO) / 1e9).toFixed(9);
      const query = `mutation { createApiKey(input: { name: "k", budget: { amount: "${usd}", period: MONTH } }) { secret } }`;
      const { secret } = created.parse(await graphql(query)).data.createApiKey;
      const [first] = servers;
      if (first === undefined) throw new Error('no server runs');
      expect(await ask(first, secret, 4)).toEqual(['ok', 'ok', 'ok', 'ok']);
      // A settlement that was still under way would find the loss before the next request does.
      await expect.poll(spent).toBe(4 * REQUEST_NANO);
      const client = createClient({ url: redis.url });
      await client.connect();
      await client.flushAll();
      client.destroy();
      // It finds the loss, or waits for what is counted anew: the look for thresholds may have found it before.
      const [next] = await ask(first, secret, 1);
      expect(['limits_unavailable', 'ok']).toContain(next);
      const before = next === 'ok' ? 5 : 4;
      await expect.poll(spent).toBe(before * REQUEST_NANO);
      const answers = (await Promise.all(servers.map((each) => ask(each, secret, 50)))).flat();
      expect(answers.filter((answer) => answer === 'ok')).toHaveLength(REQUESTS - before);
      expect(answers.filter((answer) => answer === 'insufficient_quota')).toHaveLength(
        50 * servers.length - REQUESTS + before,
      );
      expect(await spent()).toBe(REQUESTS * REQUEST_NANO);
    });
  });
});
