import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../harness/configured-server.ts';
import { openInspector, type Inspector } from '../harness/inspector.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const LINES = 50_000;
/** Of each line: the input is larger than what may be added to the heap. */
const TEXT_BYTES = 1_000;
const MB = 1024 * 1024;
/** Of the heap without garbage, within one batch: 0.4 KB a line. */
const MAX_HEAP_GROWTH_BYTES = 20 * MB;
/**
 * Of resident memory, from one batch to the next: 1.6 KB a line. During the first one the heaps of the process and of its
 * database reach their size, as V8 collects garbage late: 435 to 740 MB. After 200,000 lines they have 760 MB.
 */
const MAX_RESIDENT_GROWTH_BYTES = 80 * MB;
const TIMEOUT_MS = 480_000;

const answer = JSON.stringify({
  id: 'chatcmpl-fake',
  object: 'chat.completion',
  created: 1_795_000_000,
  model: 'gpt-4.1-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
});

let provider: Server;
let requests = 0;
let server: ServerProcess;
let inspector: Inspector;

beforeAll(async () => {
  // It keeps no request, unlike the fake provider of other tests.
  provider = createServer((request, response) => {
    // Others ask for its models.
    if (request.method === 'POST') requests++;
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end(answer));
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  const yaml = `
providers:
  openai: { api_key: x, base_url: "http://127.0.0.1:${port}/v1" }
limits: { requests_per_minute: 100000000, tokens_per_minute: 100000000000 }
`;
  server = await startConfigured(yaml, {}, { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  inspector = await openInspector(server.output());
});

afterAll(async () => {
  inspector.close();
  await server.dispose();
  provider.closeAllConnections();
  provider.close();
});

interface Memory {
  readonly done: number;
  readonly heap: number;
  readonly resident: number;
}

/** Garbage is collected first: V8 does so when it wants. */
async function memoryAt(done: number): Promise<Memory> {
  await inspector.send('HeapProfiler.collectGarbage');
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const bytes = (name: string): number => Number(new RegExp(`^sluice_process_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return { done, heap: bytes('heap_used_bytes'), resident: bytes('resident_memory_bytes') };
}

/** Of the heap, within a fifth of a batch, from 0: without garbage, as far as it was collected. */
function leastHeap(seen: readonly Memory[], fifth: number): number {
  const within = seen.filter(({ done }) => Math.min(4, Math.floor((done * 5) / LINES)) === fifth);
  return Math.min(...within.map(({ heap }) => heap));
}

function client(): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 2 });
}

/** @returns the id of the input file */
async function uploadLines(): Promise<string> {
  const body = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'x'.repeat(TEXT_BYTES) }] };
  const line = (index: number): string =>
    `${JSON.stringify({ custom_id: `line-${index}`, method: 'POST', url: '/v1/chat/completions', body })}\n`;
  const input = Buffer.from(Array.from({ length: LINES }, (_, index) => line(index)).join(''));
  expect(input.length).toBeGreaterThan(MAX_HEAP_GROWTH_BYTES);
  return (await client().files.create({ file: await toFile(input, 'in.jsonl'), purpose: 'batch' })).id;
}

/** Runs the lines to their end. @returns the memory on the way */
async function runLines(fileId: string): Promise<Memory[]> {
  const { batches, files } = client();
  const created = { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  const { id } = await batches.create(created);
  const seen: Memory[] = [];
  await expect
    .poll(
      async () => {
        const { status, request_counts: counts } = await batches.retrieve(id);
        seen.push(await memoryAt(counts?.completed ?? 0));
        return status;
      },
      { timeout: TIMEOUT_MS, interval: 500 },
    )
    .toBe('completed');
  const { request_counts: counts, output_file_id: output } = await batches.retrieve(id);
  expect(counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
  const text = await (await files.content(output ?? '')).text();
  const ids = text
    .trimEnd()
    .split('\n')
    .map((each) => String(JSON.parse(each).custom_id));
  expect(ids).toHaveLength(LINES);
  expect(new Set(ids).size).toBe(LINES);
  return seen;
}

describe('a batch of 50,000 lines', () => {
  it(
    'runs each line once, in memory that does not grow with it',
    async () => {
      const fileId = await uploadLines();
      const runs = [await runLines(fileId), await runLines(fileId)];
      expect(requests).toBe(2 * LINES);
      for (const seen of runs) expect(leastHeap(seen, 4) - leastHeap(seen, 0)).toBeLessThan(MAX_HEAP_GROWTH_BYTES);
      const [first = 0, second = 0] = runs.map((seen) => Math.max(...seen.map(({ resident }) => resident)));
      expect(second - first).toBeLessThan(MAX_RESIDENT_GROWTH_BYTES);
    },
    TIMEOUT_MS,
  );
});
