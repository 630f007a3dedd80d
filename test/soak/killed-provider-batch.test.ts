import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { startConfigured } from '../harness/configured-server.ts';
import { startFakeOpenAiBatches, type FakeOpenAiBatches } from '../harness/fake-openai-batches.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const LINES = 500;
/** Of server PostgreSQL, where a lease has to end first. */
const TIMEOUT_MS = 300_000;

let provider: FakeOpenAiBatches;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeOpenAiBatches();
  const environment = { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url };
  server = await startConfigured('routing: { batches: provider }\n', {}, environment);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const client = (): OpenAI => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 5 });

async function kill(): Promise<void> {
  await server.end('SIGKILL');
  server = await server.restart();
}

/** Of the stopped server. */
async function usageRows(): Promise<object[]> {
  const database = await openDatabase(server.database);
  try {
    return await database.query(
      `select status, units->>'serviceTier' as tier, count(*)::int as rows, count(distinct event_id)::int as events,
         count(distinct cost_nano)::int as costs
       from usage_logs where capability = 'chat' group by 1, 2`,
    );
  } finally {
    await database.close();
  }
}

describe('a batch at a provider, of a server that is killed three times', () => {
  it(
    'is created once, and each of its requests is answered and billed once',
    async () => {
      const created = Promise.withResolvers<void>();
      // The first creation is never answered.
      provider.onCreated = () => {
        created.resolve();
        provider.onCreated = () => undefined;
        return new Promise(() => undefined);
      };
      const lines = Array.from({ length: LINES }, (_, line) => ({
        custom_id: `line-${line}`,
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: `line-${line}.` }] },
      }));
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      const file = await client().files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
      const { id } = await client().batches.create({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      });
      await created.promise;
      await kill();
      const [batch] = provider.batches;
      if (batch === undefined) expect.fail('no batch');
      await provider.requestWhere(({ path }) => path.endsWith(`/batches/${batch.id}`));
      await kill();
      provider.end(batch, 'completed');
      await provider.requestWhere(({ path }) => path.endsWith('/content'));
      await kill();
      await expect
        .poll(async () => (await client().batches.retrieve(id)).status, { timeout: TIMEOUT_MS, interval: 500 })
        .toBe('completed');
      const done = await client().batches.retrieve(id);
      expect(done.request_counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
      const output = await (await client().files.content(done.output_file_id ?? '')).text();
      const results = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(
        results.map(({ custom_id: customId, response }) => [customId, response.body.choices[0].message.content]),
      ).toEqual(lines.map(({ custom_id: customId }) => [customId, `${customId}.`]));
      expect(provider.batches).toHaveLength(1);
      expect(provider.chats).toEqual([]);
      await server.end('SIGTERM');
      expect(await usageRows()).toEqual([{ status: 'succeeded', tier: 'batch', rows: LINES, events: LINES, costs: 1 }]);
    },
    TIMEOUT_MS,
  );
});
