import OpenAI, { APIError } from 'openai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { describeWithRedis, startRedis } from '../../harness/redis.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const LIMIT = 12;
const created = z.object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) });

/** @returns for each request whether it was let in, else the status of its refusal */
async function ask(server: ServerProcess, apiKey: string, count: number): Promise<(number | 'ok')[]> {
  const client = new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const asked = Array.from({ length: count }, () =>
    client.chat.completions.create({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello.' }] }).then(
      () => 'ok' as const,
      (error: unknown) => (error instanceof APIError ? Number(error.status) : 0),
    ),
  );
  return Promise.all(asked);
}

describeOnEachDatabase('servers on one Redis', (databases) => {
  describeWithRedis('with REDIS_URL', () => {
    it('let in together what a key may ask in a minute', async () => {
      const redis = await startRedis();
      // The embedded database has one opener.
      const url = databases.kind === 'server' ? (await databases.place()).url : undefined;
      const server = await startServer({
        ...(url !== undefined && { DATABASE_URL: url }),
        REDIS_URL: redis.url,
        SLUICE_SECRET: 'a master key for tests, which is long enough',
        SLUICE_SANDBOX: 'on',
      });
      const servers = url === undefined ? [server] : [server, await server.another()];
      const key = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: `mutation { createApiKey(input: { name: "shared", limits: { requestsPerMinute: ${LIMIT} } }) { secret } }`,
        }),
      });
      const { secret } = created.parse(await key.json()).data.createApiKey;
      const answers = (await Promise.all(servers.map((each) => ask(each, secret, 20)))).flat();
      expect(answers.filter((answer) => answer === 'ok')).toHaveLength(LIMIT);
      expect(answers.filter((answer) => answer === 429)).toHaveLength(20 * servers.length - LIMIT);
      await redis.kill();
      // Each for itself now.
      for (const each of servers) expect(await ask(each, server.apiKey, 1)).toEqual(['ok']);
      for (const each of servers.toReversed()) await each.dispose();
      await redis.stop();
    });
  });
});
