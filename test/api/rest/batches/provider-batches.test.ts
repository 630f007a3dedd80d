import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import {
  chatOutcome,
  startFakeOpenAiBatches,
  type FakeBatch,
  type FakeOpenAiBatches,
} from '../../../harness/fake-openai-batches.ts';
import { post } from '../../../harness/graphql-client.ts';
import { queryRunning, rowId, sqlText } from '../../../harness/running-database.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

let provider: FakeOpenAiBatches;
let server: ServerProcess;
let client: OpenAI;

beforeAll(async () => {
  provider = await startFakeOpenAiBatches();
  const yaml = `
routing: { batches: provider }
aliases: { cheap: openai/gpt-4.1-mini }
routes: { direct: { targets: [openai/gpt-4.1-mini], batches: sluice } }
`;
  const environment = {
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: provider.url,
    GROQ_API_KEY: 'x',
    GROQ_BASE_URL: provider.url,
    AZURE_OPENAI_API_KEY: 'x',
    AZURE_OPENAI_BASE_URL: provider.url,
    SLUICE_SANDBOX: 'on',
  };
  server = await startConfigured(yaml, {}, environment);
  client = clientOf(server.apiKey);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

type Endpoint = OpenAI.BatchCreateParams['endpoint'];

async function create(
  models: readonly string[],
  endpoint: Endpoint = '/v1/chat/completions',
  by = client,
): Promise<OpenAI.Batch> {
  const lines = models.map((model, line) => ({
    custom_id: `line-${line}`,
    method: 'POST',
    url: endpoint,
    body: { model, ...inputOf(endpoint, `Say ${line}.`) },
  }));
  const text = lines.map((each) => JSON.stringify(each)).join('\n');
  const file = await by.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
  return by.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
}

/** What the provider responds to requests of other endpoints, by that of the batch. */
const answers = {
  '/v1/responses': chatOutcome,
  '/v1/embeddings': () => ({
    status: 200,
    body: {
      object: 'list',
      model: 'text-embedding-3-small',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    },
  }),
  '/v1/completions': chatOutcome,
} as const;

function inputOf(endpoint: Endpoint, text: string): object {
  if (endpoint === '/v1/embeddings' || endpoint === '/v1/responses') return { input: text };
  if (endpoint === '/v1/completions') return { prompt: text };
  return { messages: [{ role: 'user', content: text }] };
}

/** The batch at the provider after those before. */
async function nextBatch(count: number): Promise<FakeBatch> {
  await expect.poll(() => provider.batches.length).toBe(count);
  return provider.batches[count - 1] ?? expect.fail('no batch');
}

async function ended(id: string): Promise<OpenAI.Batch> {
  const states = ['completed', 'failed', 'cancelled', 'expired'];
  await expect.poll(async () => states.includes((await client.batches.retrieve(id)).status)).toBe(true);
  return client.batches.retrieve(id);
}

const result = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.int(), body: z.looseObject({}) }).nullable(),
  error: z.object({ code: z.string() }).nullable(),
});

async function results(fileId: string | undefined): Promise<z.infer<typeof result>[]> {
  if (fileId === undefined) return [];
  const text = await (await client.files.content(fileId)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((each) => result.parse(JSON.parse(each)));
}

const clientOf = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });

async function graphql(query: string, variables: object = {}): Promise<unknown> {
  const { data, code } = await post(server.url, { query, variables }, { authorization: `Bearer ${server.apiKey}` });
  expect(code).toBeNull();
  return data;
}

const keySchema = z.object({
  createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }),
});

/** @param members further ones of its input */
async function newKey(members = ''): Promise<{ readonly id: string; readonly secret: string }> {
  const query = `mutation { createApiKey(input: { name: "other", scopes: [INFERENCE]${members} }) { secret apiKey { id } } }`;
  const { secret, apiKey } = keySchema.parse(await graphql(query)).createApiKey;
  return { id: apiKey.id, secret };
}

const moneySchema = z.object({ amount: z.string() });
const budgetsSchema = z.object({
  budgets: z.array(
    z.object({ reserved: moneySchema, spent: moneySchema, apiKey: z.object({ id: z.string() }).nullable() }),
  ),
});

/** In USD. */
async function budgetOf(keyId: string): Promise<{ readonly reserved: string; readonly spent: string }> {
  const answer = await graphql('{ budgets { reserved { amount } spent { amount } apiKey { id } } }');
  const found = budgetsSchema.parse(answer).budgets.find(({ apiKey }) => apiKey?.id === keyId);
  if (found === undefined) expect.fail('no budget');
  return { reserved: found.reserved.amount, spent: found.spent.amount };
}

interface Row {
  readonly requested_model: string;
  readonly status: string;
  readonly cost: string;
  readonly tier: string | null;
  readonly key: string;
}

/** Of the newest requests. */
function usageRows(since: Date): Promise<Row[]> {
  return queryRunning<Row>(
    server.database,
    `select requested_model, status, cost_nano::text as cost, units->>'serviceTier' as tier,
       api_key_id as key from usage_logs
     where began_at >= ${sqlText(since.toISOString())} order by event_id`,
  );
}

describe('a batch whose route is `batches: provider`', () => {
  it('runs by the batch API of its provider at the batch price; other lines run beside it', async () => {
    const since = new Date();
    const { id } = await create([
      'openai/gpt-4.1-mini',
      'direct',
      'cheap',
      'sandbox/chat',
      'openai/gpt-4.1-mini',
      'sandbox/none',
    ]);
    const batch = await nextBatch(1);
    expect(batch).toMatchObject({ endpoint: '/v1/chat/completions', metadata: { sluice_batch: expect.any(String) } });
    const lines = provider.linesOf(batch);
    expect(lines).toMatchObject(
      [0, 2, 4].map((line) => ({
        custom_id: expect.stringMatching(new RegExp(`^[0-9a-f]{32}-${line}$`)),
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: `Say ${line}.` }] },
      })),
    );
    // The others do not wait for it.
    await expect
      .poll(async () => (await client.batches.retrieve(id)).request_counts)
      .toEqual({ total: 6, completed: 2, failed: 1 });
    expect(provider.chats).toMatchObject([{ messages: [{ content: 'Say 1.' }] }]);
    batch.request_counts = { total: 3, completed: 1, failed: 1 };
    await expect
      .poll(async () => (await client.batches.retrieve(id)).request_counts)
      .toEqual({ total: 6, completed: 3, failed: 2 });
    provider.end(batch, 'completed', (line, body) =>
      line === 1
        ? { status: 400, body: { error: { message: 'Bad.', type: 'invalid_request_error', code: 'bad_thing' } } }
        : chatOutcome(line, body),
    );
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'completed', request_counts: { total: 6, completed: 4, failed: 2 } });
    const outputs = await results(done.output_file_id);
    expect(outputs.map(({ custom_id: customId }) => customId)).toEqual(['line-0', 'line-1', 'line-3', 'line-4']);
    expect(outputs[3]?.response?.body).toMatchObject({ choices: [{ message: { content: 'Say 4.' } }] });
    expect(await results(done.error_file_id)).toMatchObject([
      { custom_id: 'line-2', response: { status_code: 400, body: { error: { code: 'bad_thing', message: 'Bad.' } } } },
      { custom_id: 'line-5', response: { status_code: 404 } },
    ]);
    await expect.poll(() => usageRows(since)).toHaveLength(5);
    const rows = await usageRows(since);
    // Of 12 input and 5 output tokens: 200 and 800 nano-USD in a batch.
    const batched = { status: 'succeeded', cost: '6400', tier: 'batch' };
    expect(rows.filter(({ requested_model: model }) => model === 'openai/gpt-4.1-mini')).toMatchObject([
      batched,
      batched,
    ]);
    expect(rows.find(({ requested_model: model }) => model === 'cheap')).toMatchObject({ status: 'failed', cost: '0' });
    expect(rows.find(({ requested_model: model }) => model === 'direct')).toMatchObject({ cost: '11600', tier: null });
    // What the provider stored of it is deleted.
    expect(provider.deletedFiles).toHaveLength(3);
  });

  it.each([
    ['/v1/responses', '/v1/chat/completions', { object: 'response', output: [{ content: [{ text: 'Say 0.' }] }] }],
    ['/v1/embeddings', '/v1/embeddings', { object: 'list', data: [{ embedding: [0.5] }] }],
    ['/v1/completions', '/v1/chat/completions', { object: 'text_completion', choices: [{ text: 'Say 0.' }] }],
  ] as const)('sends requests of %s as those of %s', async (endpoint, kind, expected) => {
    const count = provider.batches.length + 1;
    const model = endpoint === '/v1/embeddings' ? 'openai/text-embedding-3-small' : 'openai/gpt-4.1-mini';
    const { id } = await create([model], endpoint);
    const batch = await nextBatch(count);
    expect(batch.endpoint).toBe(kind);
    provider.end(batch, 'completed', answers[endpoint]);
    const [first] = await results((await ended(id)).output_file_id);
    expect(first?.response).toMatchObject({ status_code: 200, body: expected });
  });

  it.each(['groq/llama-3.3-70b-versatile', 'azure-openai/gpt-4.1-mini'])(
    'runs at the provider of %s',
    async (model) => {
      const count = provider.batches.length + 1;
      const { id } = await create([model]);
      const batch = await nextBatch(count);
      expect(provider.linesOf(batch)).toMatchObject([{ body: { model: model.split('/')[1] } }]);
      provider.end(batch, 'completed');
      expect(await results((await ended(id)).output_file_id)).toMatchObject([{ response: { status_code: 200 } }]);
    },
  );

  it('passes a cancellation on, and keeps and bills what had ended', async () => {
    const [since, count] = [new Date(), provider.batches.length + 1];
    const { id } = await create(Array(3).fill('openai/gpt-4.1-mini'));
    const batch = await nextBatch(count);
    expect((await client.batches.cancel(id)).status).toBe('cancelling');
    await expect.poll(() => batch.status).toBe('cancelling');
    provider.end(batch, 'cancelled', (line, body) => (line === 0 ? chatOutcome(line, body) : 'cancelled'));
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'cancelled', request_counts: { total: 3, completed: 1, failed: 0 } });
    expect(await results(done.output_file_id)).toMatchObject([{ custom_id: 'line-0' }]);
    expect((await results(done.error_file_id)).map(({ error }) => error?.code)).toEqual(
      Array(2).fill('batch_cancelled'),
    );
    await expect.poll(() => usageRows(since)).toMatchObject([{ cost: '6400' }]);
  });

  it('expires with the requests that its provider did not run in time', async () => {
    const count = provider.batches.length + 1;
    const { id } = await create(Array(2).fill('openai/gpt-4.1-mini'));
    const batch = await nextBatch(count);
    provider.end(batch, 'expired', (line, body) => (line === 0 ? chatOutcome(line, body) : 'expired'));
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'expired', request_counts: { completed: 1, failed: 0 } });
    expect(await results(done.error_file_id)).toMatchObject([
      { custom_id: 'line-1', error: { code: 'batch_expired' } },
    ]);
  });

  it('has the error of a batch that its provider refuses as that of each request', async () => {
    const [count, deleted] = [provider.batches.length + 1, provider.deletedFiles.length];
    const { id } = await create(Array(2).fill('openai/gpt-4.1-mini'));
    provider.fail(await nextBatch(count), 'model_not_found', 'The model cannot be used in batches.');
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'completed', request_counts: { completed: 0, failed: 2 } });
    // Its requests are not left at the provider.
    expect(provider.deletedFiles).toHaveLength(deleted + 1);
    const error = { code: 'model_not_found', message: 'The model cannot be used in batches.' };
    expect((await results(done.error_file_id)).map(({ response }) => response)).toMatchObject(
      [0, 1].map(() => ({ status_code: 400, body: { error } })),
    );
  });

  it('has its maximum cost reserved in the budget of its key until it is billed, also after a restart', async () => {
    const count = provider.batches.length + 1;
    const key = await newKey(', budget: { amount: "5", period: TOTAL }');
    await create(Array(2).fill('openai/gpt-4.1-mini'), '/v1/chat/completions', clientOf(key.secret));
    const batch = await nextBatch(count);
    const before = await budgetOf(key.id);
    expect(Number(before.reserved)).toBeGreaterThan(0.001);
    expect(Number(before.spent)).toBe(0);
    await server.end('SIGTERM');
    server = await server.restart();
    client = clientOf(server.apiKey);
    await expect.poll(() => budgetOf(key.id)).toEqual(before);
    provider.end(batch, 'completed');
    await expect.poll(() => budgetOf(key.id)).toEqual({ reserved: '0', spent: '0.0000128' });
  });

  it("runs one by one where the account's own route says so", async () => {
    const [count, chats] = [provider.batches.length, provider.chats.length];
    const input = { name: 'own', targets: [{ model: 'openai/gpt-4.1-mini' }], batches: 'SLUICE' };
    await graphql('mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }', { input });
    const { id } = await create(['own']);
    expect(await ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
    expect([provider.batches.length, provider.chats.length]).toEqual([count, chats + 1]);
  });

  it('has an error for a response that is longer than any may be, and the other results', async () => {
    const count = provider.batches.length + 1;
    const { id } = await create(Array(6).fill('openai/gpt-4.1-mini'));
    const batch = await nextBatch(count);
    provider.end(batch, 'completed', (line, body) => {
      const outcome = chatOutcome(line, body);
      if (typeof outcome !== 'object') return outcome;
      // The others are together longer than what is delivered at once.
      const padding = 'x'.repeat(line === 1 ? 65 * 1024 ** 2 : 6 * 1024 ** 2);
      return { ...outcome, body: { ...Object(outcome.body), padding } };
    });
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'completed', request_counts: { total: 6, completed: 5, failed: 1 } });
    const outputs = await results(done.output_file_id);
    expect(outputs.map(({ custom_id: customId }) => customId)).toEqual([0, 2, 3, 4, 5].map((line) => `line-${line}`));
    expect(await results(done.error_file_id)).toMatchObject([
      { custom_id: 'line-1', response: { status_code: 502, body: { error: { code: 'provider_invalid_response' } } } },
    ]);
  });

  it('is not found by another key, which reads nothing of the account', async () => {
    const count = provider.batches.length + 1;
    const { id } = await create(['openai/gpt-4.1-mini']);
    provider.end(await nextBatch(count), 'completed');
    const { secret } = await newKey();
    await expect(clientOf(secret).batches.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(clientOf(secret).batches.cancel(id)).rejects.toMatchObject({ status: 404 });
    await ended(id);
  });

  it('is billed to its key, and its results stored, where the key is revoked meanwhile', async () => {
    const [since, count] = [new Date(), provider.batches.length + 1];
    const key = await newKey();
    const { id } = await create(['openai/gpt-4.1-mini'], '/v1/chat/completions', clientOf(key.secret));
    const batch = await nextBatch(count);
    await graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { __typename } }', { id: key.id });
    provider.end(batch, 'completed');
    await expect
      .poll(() => usageRows(since))
      .toMatchObject([{ status: 'succeeded', cost: '6400', key: rowId(key.id) }]);
    expect(await ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  });
});
