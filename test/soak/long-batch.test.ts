import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const LINES = 3_000;
/** Of each request: the input is larger than what may be added to the heap. */
const TEXT_BYTES = 16_000;
const MAX_GROWTH_BYTES = 40 * 1024 * 1024;
const TIMEOUT_MS = 240_000;

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

async function heapBytes(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^sluice_process_heap_used_bytes (\S+)$/m.exec(text)?.[1]);
}

describe('a long batch', () => {
  it(
    'runs in memory that does not grow with it',
    async () => {
      const answer = completion();
      provider.answerWith(answer);
      const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 2 });
      const content = 'x'.repeat(TEXT_BYTES);
      const body = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content }] };
      const line = (index: number): string =>
        `${JSON.stringify({ custom_id: `line-${index}`, method: 'POST', url: '/v1/chat/completions', body })}\n`;
      const input = Buffer.from(Array.from({ length: LINES }, (_, index) => line(index)).join(''));
      const before = await heapBytes();
      const { id: fileId } = await client.files.create({ file: await toFile(input, 'in.jsonl'), purpose: 'batch' });
      const created = { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
      const { id } = await client.batches.create(created);
      const seen: number[] = [];
      await expect
        .poll(
          async () => {
            seen.push(await heapBytes());
            return (await client.batches.retrieve(id)).status;
          },
          { timeout: TIMEOUT_MS, interval: 50 },
        )
        .toBe('completed');
      const { request_counts: counts, output_file_id: output } = await client.batches.retrieve(id);
      expect(counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
      const text = await (await client.files.content(output ?? '')).text();
      expect(text.trimEnd().split('\n')).toHaveLength(LINES);
      // What remains after a collection of garbage, near the end.
      expect(Math.min(...seen.slice(-20)) - before).toBeLessThan(MAX_GROWTH_BYTES);
    },
    TIMEOUT_MS,
  );
});
