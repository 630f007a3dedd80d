import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import {
  messageResult,
  startFakeAnthropicBatches,
  type FakeAnthropicBatches,
  type FakeMessageBatch,
} from '../../../harness/fake-anthropic-batches.ts';
import { queryRunning, sqlText } from '../../../harness/running-database.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

const MODEL = 'anthropic/claude-haiku-4-5';

let provider: FakeAnthropicBatches;
let server: ServerProcess;
let client: Anthropic;

beforeAll(async () => {
  provider = await startFakeAnthropicBatches();
  const environment = { ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: provider.url };
  server = await startConfigured('routing: { batches: provider }\n', {}, environment);
  client = new Anthropic({ baseURL: server.url, apiKey: server.apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

async function create(count: number): Promise<string> {
  const requests = Array.from({ length: count }, (_, line) => ({
    custom_id: `line-${line}`,
    params: { model: MODEL, max_tokens: 20, messages: [{ role: 'user' as const, content: `Say ${line}.` }] },
  }));
  return (await client.messages.batches.create({ requests })).id;
}

/** The batch at the provider after those before. */
async function nextBatch(count: number): Promise<FakeMessageBatch> {
  await expect.poll(() => provider.batches.length).toBe(count);
  return provider.batches[count - 1] ?? expect.fail('no batch');
}

async function results(id: string): Promise<Anthropic.Messages.MessageBatchIndividualResponse[]> {
  await expect.poll(async () => (await client.messages.batches.retrieve(id)).processing_status).toBe('ended');
  const found: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await client.messages.batches.results(id)) found.push(result);
  return found;
}

/** What requests since then have cost, in nano-USD. */
function costs(since: Date): Promise<{ cost: string; tier: string | null }[]> {
  return queryRunning(
    server.database,
    `select cost_nano::text as cost, units->>'serviceTier' as tier from usage_logs
     where began_at >= ${sqlText(since.toISOString())} and status = 'succeeded'`,
  );
}

describe("a message batch by Anthropic's batch API", () => {
  it('has its results translated back, and is billed at the batch price', async () => {
    const [since, count] = [new Date(), provider.batches.length + 1];
    const id = await create(4);
    const batch = await nextBatch(count);
    expect(batch.requests).toMatchObject(
      [0, 1, 2, 3].map((line) => ({
        custom_id: expect.stringMatching(new RegExp(`^[0-9a-f]{32}-${line}$`)),
        params: { model: 'claude-haiku-4-5', max_tokens: 20, messages: [{ role: 'user', content: `Say ${line}.` }] },
      })),
    );
    const error = { type: 'error', error: { type: 'invalid_request_error', message: 'Bad.' }, request_id: 'req_1' };
    provider.end(batch, (index, params) =>
      index === 1 ? { type: 'errored', error } : index === 2 ? { type: 'expired' } : messageResult(index, params),
    );
    expect(await results(id)).toMatchObject([
      { custom_id: 'line-0', result: { type: 'succeeded', message: { content: [{ text: 'Say 0.' }] } } },
      {
        custom_id: 'line-1',
        result: { type: 'errored', error: { error: { type: 'invalid_request_error', message: 'Bad.' } } },
      },
      { custom_id: 'line-2', result: { type: 'expired' } },
      { custom_id: 'line-3', result: { type: 'succeeded', message: { content: [{ text: 'Say 3.' }] } } },
    ]);
    // 12 x 500 + 5 x 2,500 nano-USD
    const cost = { cost: '18500', tier: 'batch' };
    await expect.poll(() => costs(since)).toEqual([cost, cost]);
    expect(provider.deleted).toEqual([batch.id]);
  });

  it("serves chats of OpenAI's API", async () => {
    const count = provider.batches.length + 1;
    const openai = new OpenAI({ apiKey: server.apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
    const url = '/v1/chat/completions';
    const body = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }] };
    const line = JSON.stringify({ custom_id: 'one', method: 'POST', url, body });
    const file = await openai.files.create({ file: await toFile(Buffer.from(line), 'in.jsonl'), purpose: 'batch' });
    const { id } = await openai.batches.create({ input_file_id: file.id, endpoint: url, completion_window: '24h' });
    provider.end(await nextBatch(count));
    await expect.poll(async () => (await openai.batches.retrieve(id)).status).toBe('completed');
    const { output_file_id: output } = await openai.batches.retrieve(id);
    const result = JSON.parse(await (await openai.files.content(output ?? '')).text());
    expect(result).toMatchObject({
      custom_id: 'one',
      response: { status_code: 200, body: { choices: [{ message: { content: 'Say hello.' } }] } },
    });
  });

  it('sends requests with other betas as other batches', async () => {
    const count = provider.batches.length + 1;
    const params = { model: MODEL, max_tokens: 20, messages: [{ role: 'user' as const, content: 'Hi' }] };
    const headers = { 'anthropic-beta': 'context-management-2025-06-27' };
    await client.messages.batches.create({ requests: [{ custom_id: 'one', params }] }, { headers });
    const batch = await nextBatch(count);
    expect(batch.betas).toBe('context-management-2025-06-27');
    provider.end(batch);
  });

  it('passes a cancellation on', async () => {
    const count = provider.batches.length + 1;
    const id = await create(2);
    const batch = await nextBatch(count);
    expect((await client.messages.batches.cancel(id)).processing_status).toBe('canceling');
    await expect.poll(() => batch.processing_status).toBe('canceling');
    provider.end(batch, (index, params) => (index === 0 ? messageResult(index, params) : { type: 'canceled' }));
    expect((await results(id)).map(({ result }) => result.type)).toEqual(['succeeded', 'canceled']);
  });

  it('is found by its results, and not created again, where the process dies before its creation is answered', async () => {
    const [since, count] = [new Date(), provider.batches.length + 1];
    const created = Promise.withResolvers<void>();
    provider.onCreated = () => {
      created.resolve();
      provider.onCreated = () => undefined;
      return new Promise(() => undefined);
    };
    const id = await create(3);
    await created.promise;
    await server.end('SIGKILL');
    const batch = await nextBatch(count);
    server = await server.restart();
    client = new Anthropic({ baseURL: server.url, apiKey: server.apiKey, maxRetries: 0 });
    await provider.requestWhere(({ path }) => path.includes('limit=100'));
    provider.end(batch);
    expect((await results(id)).map(({ result }) => result.type)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(provider.batches).toHaveLength(count);
    await expect.poll(() => costs(since)).toHaveLength(3);
  });
});
