import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicBatch, anthropicBatchResult } from '../../../harness/anthropic-batch-schema.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let client: Anthropic;

beforeAll(async () => {
  account = await newAccount();
  client = new Anthropic({ apiKey: account.apiKey, baseURL: account.url, maxRetries: 0 });
});

afterAll(() => account.dispose());

type Params = Anthropic.Messages.MessageCreateParamsNonStreaming;

const params = (members: Partial<Params> = {}): Params => ({
  model: 'sandbox/chat',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hi' }],
  ...members,
});

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${account.url}/v1/messages/batches${path}`, {
    method: 'POST',
    headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function ended(id: string): Promise<Anthropic.Messages.MessageBatch> {
  await expect
    .poll(async () => (await client.messages.batches.retrieve(id)).processing_status, { timeout: 30_000 })
    .toBe('ended');
  return client.messages.batches.retrieve(id);
}

async function resultsOf(id: string): Promise<Anthropic.Messages.MessageBatchIndividualResponse[]> {
  const results: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await client.messages.batches.results(id)) results.push(result);
  return results;
}

describe('a message batch', () => {
  it('runs its requests, and returns their results in the order of the requests', async () => {
    const requests = [
      { custom_id: 'first', params: params() },
      { custom_id: 'second', params: params({ model: 'sandbox/none' }) },
      { custom_id: 'third', params: params({ max_tokens: -1 }) },
      { custom_id: 'fourth', params: params() },
    ];
    const created = await client.messages.batches.create({ requests });
    expect(anthropicBatch.parse(created)).toMatchObject({
      processing_status: 'in_progress',
      request_counts: { processing: 4, succeeded: 0 },
      results_url: null,
    });
    const batch = anthropicBatch.parse(await ended(created.id));
    expect(batch.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 2, canceled: 0, expired: 0 });
    expect(batch.results_url).toBe(`${account.url}/v1/messages/batches/${created.id}/results`);
    const results = (await resultsOf(created.id)).map((result) => anthropicBatchResult.parse(result));
    expect(results.map(({ custom_id: id, result }) => [id, result.type])).toEqual([
      ['first', 'succeeded'],
      ['second', 'errored'],
      ['third', 'errored'],
      ['fourth', 'succeeded'],
    ]);
    expect(results[1]?.result).toMatchObject({ error: { error: { type: 'not_found_error' } } });
    expect(results[2]?.result).toMatchObject({ error: { error: { type: 'invalid_request_error' } } });
  });

  it('is listed newest first, and deleted only after its end', async () => {
    const request = (id: string) => ({ requests: [{ custom_id: id, params: params() }] });
    const older = await client.messages.batches.create(request('older'));
    const newer = await client.messages.batches.create(request('newer'));
    const listed: string[] = [];
    for await (const { id } of client.messages.batches.list({ limit: 1 })) listed.push(id);
    expect(listed.slice(0, 2)).toEqual([newer.id, older.id]);
    const before = await client.messages.batches.list({ before_id: older.id, limit: 1 });
    expect(before.data.map(({ id }) => id)).toEqual([newer.id]);
    await ended(older.id);
    expect(await client.messages.batches.delete(older.id)).toEqual({ id: older.id, type: 'message_batch_deleted' });
    await expect(client.messages.batches.retrieve(older.id)).rejects.toMatchObject({ status: 404 });
    await ended(newer.id);
  });

  it('is cancelled: what has not run has the result `canceled`', async () => {
    const requests = Array.from({ length: 300 }, (_, index) => ({ custom_id: `r-${index}`, params: params() }));
    const created = await client.messages.batches.create({ requests });
    const cancelled = anthropicBatch.parse(await client.messages.batches.cancel(created.id));
    expect(cancelled.cancel_initiated_at).not.toBeNull();
    const { request_counts: counts } = await ended(created.id);
    expect(counts.processing + counts.errored + counts.expired).toBe(0);
    expect(counts.succeeded + counts.canceled).toBe(300);
    expect(counts.canceled).toBeGreaterThan(0);
    const results = await resultsOf(created.id);
    expect(results.map(({ custom_id: id }) => id)).toEqual(requests.map(({ custom_id: id }) => id));
    expect(results.filter(({ result }) => result.type === 'canceled')).toHaveLength(counts.canceled);
  });

  it('belongs to its account', async () => {
    const { id } = await client.messages.batches.create({ requests: [{ custom_id: 'own', params: params() }] });
    const other = await newAccount();
    const stranger = new Anthropic({ apiKey: other.apiKey, baseURL: other.url, maxRetries: 0 });
    await expect(stranger.messages.batches.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.messages.batches.cancel(id)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.messages.batches.results(id)).rejects.toThrow();
    await other.dispose();
    await ended(id);
  });

  it('is created once for the same idempotency key', async () => {
    const body = { requests: [{ custom_id: 'once', params: params() }] };
    const [first, second] = [
      await post('', body, { 'idempotency-key': 'batch-1' }),
      await post('', body, { 'idempotency-key': 'batch-1' }),
    ];
    expect(await second.json()).toEqual(await first.json());
    const other = { requests: [{ custom_id: 'twice', params: params() }] };
    expect((await post('', other, { 'idempotency-key': 'batch-1' })).status).toBe(409);
  });

  it.each([
    ['{"requests":', 'JSON'],
    ['[]', 'body'],
    ['{}', 'requests'],
    ['{"requests":{}}', 'requests'],
    ['{"requests":[]}', 'requests'],
    ['{"requests":[1]}', 'requests[0]'],
    ['{"requests":[{"params":{}}]}', 'requests[0].custom_id'],
    ['{"requests":[{"custom_id":"a b","params":{}}]}', 'requests[0].custom_id'],
    ['{"requests":[{"custom_id":"a"}]}', 'requests[0].params'],
    ['{"requests":[{"custom_id":"a","params":{}}]}', 'requests[0].params.model'],
    ['{"requests":[{"custom_id":"a","params":{"model":"m","stream":true}}]}', 'requests[0].params.stream'],
    ['{"requests":[{"custom_id":"a","params":{"model":"m"},"x":1}]}', 'requests[0].x'],
    ['{"requests":[{"custom_id":"a","params":{"model":"m"}}],"x":1}', 'x'],
    [
      '{"requests":[{"custom_id":"a","params":{"model":"m"}},{"custom_id":"a","params":{"model":"m"}}]}',
      'requests[1].custom_id',
    ],
  ])('refuses the body %s, naming %s', async (body, named) => {
    const response = await post('', body);
    const answer: unknown = await response.json();
    expect(response.status).toBe(400);
    expect(answer).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(JSON.stringify(answer)).toContain(named);
  });
});
