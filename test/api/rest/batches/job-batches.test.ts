import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import {
  startFakeGeminiBatches,
  startFakeMistralBatches,
  type FakeBatchJobs,
  type FakeJob,
} from '../../../harness/fake-batch-jobs.ts';
import { queryRunning, sqlText } from '../../../harness/running-database.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

/** `costNano`: of 12 input and 5 output tokens in a batch. */
const providers = [
  {
    id: 'gemini',
    start: startFakeGeminiBatches,
    model: 'gemini-2.5-flash-lite',
    body: { contents: [{ role: 'user', parts: [{ text: 'Say 0.' }] }] },
    // 12 x 50 + 5 x 200
    costNano: '1600',
    failure: { status_code: 400, body: { error: { message: 'Bad.' } } },
    /** Its input, its results and itself. */
    deletions: 3,
  },
  {
    id: 'mistral',
    start: startFakeMistralBatches,
    model: 'mistral-small-latest',
    body: { messages: [{ role: 'user', content: 'Say 0.' }] },
    // 12 x 75 + 5 x 300
    costNano: '2400',
    failure: { status_code: 400, body: { error: { message: 'Bad.' } } },
    /** Its input, its results and its errors. */
    deletions: 3,
  },
] as const;

describe.each(providers)("a batch by $id's batch API", ({ id: providerId, start, model, body, ...expected }) => {
  let provider: FakeBatchJobs;
  let server: ServerProcess;
  let client: OpenAI;

  beforeAll(async () => {
    provider = await start();
    const name = providerId.toUpperCase();
    const environment = { [`${name}_API_KEY`]: 'x', [`${name}_BASE_URL`]: provider.baseUrl };
    server = await startConfigured('routing: { batches: provider }\n', {}, environment);
    client = clientOf();
  });

  afterAll(async () => {
    await server.dispose();
    await provider.close();
  });

  const clientOf = (): OpenAI => new OpenAI({ apiKey: server.apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });

  async function create(count: number): Promise<string> {
    const url = '/v1/chat/completions';
    const lines = Array.from({ length: count }, (_, line) => ({
      custom_id: `line-${line}`,
      method: 'POST',
      url,
      body: { model: `${providerId}/${model}`, messages: [{ role: 'user', content: `Say ${line}.` }] },
    }));
    const text = lines.map((each) => JSON.stringify(each)).join('\n');
    const file = await client.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
    return (await client.batches.create({ input_file_id: file.id, endpoint: url, completion_window: '24h' })).id;
  }

  /** The batch at the provider after those before. */
  async function nextJob(count: number): Promise<FakeJob> {
    await expect.poll(() => provider.jobs.length).toBe(count);
    return provider.jobs[count - 1] ?? expect.fail('no batch');
  }

  async function ended(id: string): Promise<OpenAI.Batch> {
    const states = ['completed', 'failed', 'cancelled', 'expired'];
    await expect.poll(async () => states.includes((await client.batches.retrieve(id)).status)).toBe(true);
    return client.batches.retrieve(id);
  }

  async function results(fileId: string | undefined): Promise<Record<string, unknown>[]> {
    if (fileId === undefined) return [];
    const text = await (await client.files.content(fileId)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  /** What requests since then have cost, in nano-USD. */
  const costs = (since: Date): Promise<{ cost: string; tier: string | null }[]> =>
    queryRunning(
      server.database,
      `select cost_nano::text as cost, units->>'serviceTier' as tier from usage_logs
       where began_at >= ${sqlText(since.toISOString())} and status = 'succeeded'`,
    );

  it('has its requests and its results translated, and is billed at the batch price', async () => {
    const since = new Date();
    const id = await create(3);
    const job = await nextJob(1);
    expect(job.model).toBe(model);
    expect(job.requests.map(({ text }) => text)).toEqual(['Say 0.', 'Say 1.', 'Say 2.']);
    expect(job.requests[0]?.id).toMatch(/^[0-9a-f]{32}-0$/);
    expect(job.requests[0]?.body).toMatchObject(body);
    expect(job.requests[0]?.body).not.toHaveProperty('model');
    // Its progress is that at the provider.
    Object.assign(job, { succeeded: 1, failed: 1 });
    const countsNow = async (): Promise<unknown> => (await client.batches.retrieve(id)).request_counts;
    await expect.poll(countsNow).toEqual({ total: 3, completed: 1, failed: 1 });
    provider.end(job, 'completed', (line) => (line === 1 ? 'failed' : 'answered'));
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 2, failed: 1 } });
    expect(await results(done.output_file_id)).toMatchObject(
      [0, 2].map((line) => ({
        custom_id: `line-${line}`,
        response: { status_code: 200, body: { choices: [{ message: { content: `Say ${line}.` } }] } },
      })),
    );
    expect(await results(done.error_file_id)).toMatchObject([{ custom_id: 'line-1', response: expected.failure }]);
    const cost = { cost: expected.costNano, tier: 'batch' };
    await expect.poll(() => costs(since)).toEqual([cost, cost]);
    expect(provider.single).toEqual([]);
    // What the provider stored of it is deleted.
    expect(provider.deleted).toHaveLength(expected.deletions);
    expect(provider.deleted).toContain(job.file);
  });

  it("serves messages of Anthropic's API", async () => {
    const count = provider.jobs.length + 1;
    const anthropic = new Anthropic({ baseURL: server.url, apiKey: server.apiKey, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Say hello.' }];
    const params = { model: `${providerId}/${model}`, max_tokens: 20, messages };
    const { id } = await anthropic.messages.batches.create({ requests: [{ custom_id: 'one', params }] });
    provider.end(await nextJob(count), 'completed');
    const { batches } = anthropic.messages;
    await expect.poll(async () => (await batches.retrieve(id)).processing_status).toBe('ended');
    const found: unknown[] = [];
    for await (const result of await batches.results(id)) found.push(result);
    expect(found).toMatchObject([
      { custom_id: 'one', result: { type: 'succeeded', message: { content: [{ type: 'text', text: 'Say hello.' }] } } },
    ]);
  });

  it('passes a cancellation on, and keeps what had ended', async () => {
    const count = provider.jobs.length + 1;
    const id = await create(2);
    const job = await nextJob(count);
    await client.batches.cancel(id);
    await provider.requestWhere(({ path }) => path.includes(job.id) && path.endsWith('cancel'));
    provider.end(job, 'cancelled', (line) => (line === 0 ? 'answered' : 'not run'));
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'cancelled', request_counts: { total: 2, completed: 1, failed: 0 } });
    expect(await results(done.output_file_id)).toMatchObject([{ custom_id: 'line-0' }]);
    expect(await results(done.error_file_id)).toMatchObject([{ error: { code: 'batch_cancelled' } }]);
  });

  it('expires with its requests where the provider has run none in time', async () => {
    const count = provider.jobs.length + 1;
    const id = await create(1);
    provider.end(await nextJob(count), 'expired', () => 'not run');
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'expired', request_counts: { completed: 0, failed: 0 } });
    expect(await results(done.error_file_id)).toMatchObject([{ error: { code: 'batch_expired' } }]);
  });

  it('has the error of a batch that its provider refuses as that of each request', async () => {
    const count = provider.jobs.length + 1;
    const id = await create(2);
    provider.refuse(await nextJob(count), 'The model cannot be used in batches.');
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'completed', request_counts: { completed: 0, failed: 2 } });
    const error = { message: 'The model cannot be used in batches.' };
    expect(await results(done.error_file_id)).toMatchObject(
      [0, 1].map(() => ({ response: { status_code: 400, body: { error } } })),
    );
  });

  it('is found, and not created again, where the process dies before its creation is answered', async () => {
    const [since, count] = [new Date(), provider.jobs.length + 1];
    const created = Promise.withResolvers<void>();
    provider.onCreated = () => {
      created.resolve();
      provider.onCreated = () => undefined;
      return new Promise(() => undefined);
    };
    const id = await create(2);
    await created.promise;
    await server.end('SIGKILL');
    const job = await nextJob(count);
    server = await server.restart();
    client = clientOf();
    await provider.requestWhere(({ method, path }) => method === 'GET' && path.includes(job.id));
    provider.end(job, 'completed');
    expect(await ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 2 } });
    expect(provider.jobs).toHaveLength(count);
    await expect.poll(() => costs(since)).toHaveLength(2);
  });
});
