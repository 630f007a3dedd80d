import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import { startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { queryRunning } from '../../../harness/running-database.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  const environment = { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url };
  server = await startConfigured('routing: { retries: 0 }', {}, environment);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const model = 'openai/gpt-4.1-mini';
const messagesOf = (content: string) => [{ role: 'user' as const, content }];

const runsOf = (content: string): number => provider.requests.filter(({ body }) => body.includes(content)).length;

/** @param retryAfterMs how long the provider asks to wait */
function fail(retryAfterMs: number): void {
  provider.answerWith((_request, response) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after-ms': String(retryAfterMs) });
    response.end('{"error":{"message":"No capacity.","type":"server_error","code":null}}');
  });
}

it('ends a batch of messages whose provider keeps failing, after its requests have run again five times', async () => {
  fail(1);
  const client = new Anthropic({ apiKey: server.apiKey, baseURL: server.url, maxRetries: 0 });
  const params = { model, max_tokens: 20, messages: messagesOf('Say first.') };
  const { id } = await client.messages.batches.create({ requests: [{ custom_id: 'only', params }] });
  await expect.poll(async () => (await client.messages.batches.retrieve(id)).processing_status).toBe('ended');
  expect(await client.messages.batches.retrieve(id)).toMatchObject({
    request_counts: { processing: 0, succeeded: 0, errored: 1, canceled: 0, expired: 0 },
  });
  const results: unknown[] = [];
  for await (const result of await client.messages.batches.results(id)) results.push(result);
  expect(results).toMatchObject([
    { custom_id: 'only', result: { type: 'errored', error: { error: { type: 'overloaded_error' } } } },
  ]);
  expect(runsOf('Say first.')).toBe(6);
});

it('names the last error of a request in the error file of a batch that was cancelled before it ran again', async () => {
  fail(60_000);
  const client = new OpenAI({ apiKey: server.apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const endpoint = '/v1/chat/completions';
  const line = JSON.stringify({
    custom_id: 'only',
    method: 'POST',
    url: endpoint,
    body: { model, messages: messagesOf('Say second.') },
  });
  const { id: input } = await client.files.create({
    file: await toFile(Buffer.from(line), 'in.jsonl'),
    purpose: 'batch',
  });
  const { id } = await client.batches.create({ input_file_id: input, endpoint, completion_window: '24h' });
  const stored = 'select 1 as one from batch_lines where last_error is not null and failures = 1 and retry_at > now()';
  await expect.poll(async () => (await queryRunning(server.database, stored)).length).toBe(1);
  await client.batches.cancel(id);
  await expect.poll(async () => (await client.batches.retrieve(id)).status).toBe('cancelled');
  const { error_file_id: file = '' } = await client.batches.retrieve(id);
  const [text = ''] = (await (await client.files.content(file)).text()).split('\n');
  expect(JSON.parse(text)).toMatchObject({
    custom_id: 'only',
    response: null,
    error: { code: 'batch_cancelled', message: expect.stringMatching(/Its last run failed: .*No capacity\./) },
  });
  expect(runsOf('Say second.')).toBe(1);
});
