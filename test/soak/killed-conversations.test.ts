import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const LINES = 200;
const KILLS = 3;
/** Of server PostgreSQL, where a lease has to end first. */
const TIMEOUT_MS = 420_000;

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const client = (): OpenAI => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 5 });

describe('a batch that continues conversations, of a server that is killed three times', () => {
  it(
    'adds the turn of each line to its conversation once',
    async () => {
      const answer = completion();
      provider.answerWith(async (request, response) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await answer(request, response);
      });
      const conversations: string[] = [];
      for (let line = 0; line < LINES; line++) conversations.push((await client().conversations.create()).id);
      const text = conversations
        .map((conversation, line) => {
          const body = { model: 'openai/gpt-4.1-mini', input: `line-${line}.`, conversation };
          return JSON.stringify({ custom_id: `line-${line}`, method: 'POST', url: '/v1/responses', body });
        })
        .join('\n');
      const file = await client().files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
      const { id } = await client().batches.create({
        input_file_id: file.id,
        endpoint: '/v1/responses',
        completion_window: '24h',
      });
      for (let kill = 1; kill <= KILLS; kill++) {
        await provider.whenRequested(kill * 50);
        await server.end('SIGKILL');
        server = await server.restart();
      }
      await expect
        .poll(async () => (await client().batches.retrieve(id)).status, { timeout: TIMEOUT_MS, interval: 500 })
        .toBe('completed');
      expect((await client().batches.retrieve(id)).request_counts).toEqual({
        total: LINES,
        completed: LINES,
        failed: 0,
      });
      // Those that were running at each kill ran again.
      expect(provider.requests.length).toBeGreaterThan(LINES);
      for (const [line, conversation] of conversations.entries()) {
        const { data } = await client().conversations.items.list(conversation, { order: 'asc' });
        const roles = data.map((item) => (item.type === 'message' ? item.role : item.type));
        expect([line, roles]).toEqual([line, ['user', 'assistant']]);
      }
    },
    TIMEOUT_MS,
  );
});
