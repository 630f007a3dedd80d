import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  account = await newAccount();
  client = new OpenAI({ apiKey: account.apiKey, baseURL: `${account.url}/v1`, maxRetries: 0 });
});

afterAll(() => account.dispose());

type Endpoint = OpenAI.BatchCreateParams['endpoint'];

const messages = [{ role: 'user', content: 'Hi' }];
const chats: Endpoint = '/v1/chat/completions';

function line(customId: string, body: object, url: string = chats): object {
  return { custom_id: customId, method: 'POST', url, body };
}

async function upload(lines: readonly (object | string)[], purpose: 'batch' | 'user_data' = 'batch'): Promise<string> {
  const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');
  const { id } = await client.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose });
  return id;
}

async function create(lines: readonly (object | string)[], endpoint: Endpoint = chats): Promise<OpenAI.Batch> {
  const created = await client.batches.create({
    input_file_id: await upload(lines),
    endpoint,
    completion_window: '24h',
    metadata: { team: 'search' },
  });
  expectOpenAi('Batch', created);
  return created;
}

async function ended(id: string): Promise<OpenAI.Batch> {
  const states = ['completed', 'failed', 'cancelled', 'expired'];
  await expect
    .poll(async () => states.includes((await client.batches.retrieve(id)).status), { timeout: 30_000 })
    .toBe(true);
  const batch = await client.batches.retrieve(id);
  expectOpenAi('Batch', batch);
  return batch;
}

const result = z.object({
  id: z.string().regex(/^batch_req_/),
  custom_id: z.string(),
  response: z
    .object({ status_code: z.int(), request_id: z.string().regex(/^req_[0-9a-f]{32}$/), body: z.looseObject({}) })
    .nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

async function results(fileId: string | undefined): Promise<z.infer<typeof result>[]> {
  if (fileId === undefined) return expect.fail('no file');
  const text = await (await client.files.content(fileId)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((each) => result.parse(JSON.parse(each)));
}

describe('a batch', () => {
  it('runs the requests of its file, and writes their results to two files', async () => {
    const { id, status } = await create([
      line('first', { model: 'sandbox/chat', messages }),
      line('second', { model: 'sandbox/none', messages }),
      line('third', { model: 'sandbox/chat', messages }),
    ]);
    expect(status).toBe('validating');
    const batch = await ended(id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 2, failed: 1 },
      metadata: { team: 'search' },
    });
    const outputs = await results(batch.output_file_id);
    expect(outputs.map(({ custom_id: customId }) => customId)).toEqual(['first', 'third']);
    for (const { response } of outputs) expectOpenAi('CreateChatCompletionResponse', response?.body);
    expect(await results(batch.error_file_id)).toMatchObject([
      { custom_id: 'second', response: { status_code: 404, body: { error: { code: 'model_not_found' } } } },
    ]);
    const file = await client.files.retrieve(batch.output_file_id ?? '');
    expect(file).toMatchObject({ purpose: 'batch_output', filename: `${id}_output.jsonl` });
  });

  it.each([
    ['/v1/responses', { model: 'sandbox/chat', input: 'Hi' }, { object: 'response', status: 'completed' }],
    ['/v1/messages', { model: 'sandbox/chat', max_tokens: 20, messages }, { type: 'message', role: 'assistant' }],
    ['/v1/embeddings', { model: 'sandbox/embedding', input: 'Hi' }, { object: 'list' }],
    ['/v1/completions', { model: 'sandbox/chat', prompt: 'Hi' }, { object: 'text_completion' }],
    ['/v1/moderations', { model: 'sandbox/moderation', input: 'Hi' }, { results: [{ flagged: false }] }],
  ])('runs requests of %s', async (endpoint, body, expected) => {
    const input = await upload([line('one', body, endpoint)]);
    const response = await post({ input_file_id: input, endpoint, completion_window: '24h' });
    const { id } = z.object({ id: z.string() }).parse(await response.json());
    const [first] = await results((await ended(id)).output_file_id);
    expect(first?.response).toMatchObject({ status_code: 200, body: expected });
  });

  it('continues conversations, and adds the turns of its lines to them', async () => {
    const items = [{ type: 'message', role: 'user', content: 'My name is Ada.' }] as const;
    const { id: conversation } = await client.conversations.create({ items: [...items] });
    const body = { model: 'sandbox/chat', input: 'Who am I?', conversation };
    const { id } = await create(
      [
        line('one', body, '/v1/responses'),
        line('none', { ...body, conversation: `conv_${'0'.repeat(32)}` }, '/v1/responses'),
      ],
      '/v1/responses',
    );
    const batch = await ended(id);
    const [first] = await results(batch.output_file_id);
    expect(first?.response?.body).toMatchObject({ status: 'completed', conversation: { id: conversation } });
    const turn: unknown[] = [];
    for await (const { type, ...item } of await client.conversations.items.list(conversation, { order: 'asc' }))
      turn.push([type, 'role' in item ? item.role : null]);
    expect(turn).toEqual([
      ['message', 'user'],
      ['message', 'user'],
      ['message', 'assistant'],
    ]);
    expect(await results(batch.error_file_id)).toMatchObject([
      { custom_id: 'none', response: { status_code: 404, body: { error: { code: 'not_found' } } } },
    ]);
  });

  it('stores the completions that ask for it', async () => {
    const body = { model: 'sandbox/chat', messages };
    const { id } = await create([
      line('stored', { ...body, store: true, metadata: { batch: 'a' } }),
      line('not stored', { ...body, metadata: { batch: 'a' } }),
    ]);
    const [first] = await results((await ended(id)).output_file_id);
    const { data } = await client.chat.completions.list({ metadata: { batch: 'a' } });
    expect(data).toEqual([{ ...first?.response?.body, metadata: { batch: 'a' } }]);
  });

  it('fails where its file is invalid, and says where', async () => {
    const body = { model: 'sandbox/chat', messages };
    const { id } = await create([
      line('a', body),
      '{"custom_id":',
      { method: 'POST', url: chats, body },
      line('a', body),
      { ...line('b', body), method: 'GET' },
      line('c', body, '/v1/embeddings'),
      line('d', { messages }),
      line('e', { ...body, stream: true }),
    ]);
    const { status, errors, request_counts: counts } = await ended(id);
    expect([status, counts?.completed]).toEqual(['failed', 0]);
    expect(errors?.data?.map(({ code, line: number, param }) => [number, code, param])).toEqual([
      [2, 'invalid_json_line', null],
      [3, 'missing_required_parameter', 'custom_id'],
      [4, 'duplicate_custom_id', 'custom_id'],
      [5, 'invalid_method', 'method'],
      [6, 'invalid_url', 'url'],
      [7, 'missing_required_parameter', 'body.model'],
      [8, 'unsupported_value', 'body.stream'],
    ]);
    expect((await ended((await create(['\n'])).id)).errors?.data).toMatchObject([{ code: 'empty_file' }]);
  });

  it('is cancelled, with the results of what has run', async () => {
    const body = { model: 'sandbox/chat', messages };
    const { id } = await create(Array.from({ length: 300 }, (_, index) => line(`r-${index}`, body)));
    const cancelling = await client.batches.cancel(id);
    expectOpenAi('Batch', cancelling);
    expect(cancelling.status).toBe('cancelling');
    const batch = await ended(id);
    expect(batch.status).toBe('cancelled');
    const unrun = batch.error_file_id === undefined ? [] : await results(batch.error_file_id);
    expect(new Set(unrun.map(({ error }) => error?.code))).toEqual(
      new Set(unrun.length > 0 ? ['batch_cancelled'] : []),
    );
  });

  it('is listed newest first, by its account alone', async () => {
    const body = { model: 'sandbox/chat', messages };
    const older = await create([line('a', body)]);
    const newer = await create([line('a', body)]);
    const page = await client.batches.list({ limit: 1 });
    expectOpenAi('ListBatchesResponse', { object: 'list', data: page.data, has_more: page.has_more });
    const listed: string[] = [];
    for await (const { id } of client.batches.list({ limit: 1 })) listed.push(id);
    expect(listed.slice(0, 2)).toEqual([newer.id, older.id]);
    const other = await newAccount();
    const stranger = new OpenAI({ apiKey: other.apiKey, baseURL: `${other.url}/v1`, maxRetries: 0 });
    await expect(stranger.batches.retrieve(older.id)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.batches.cancel(older.id)).rejects.toMatchObject({ status: 404 });
    const input_file_id = older.input_file_id;
    const stolen = stranger.batches.create({ input_file_id, endpoint: chats, completion_window: '24h' });
    await expect(stolen).rejects.toMatchObject({ status: 404, param: 'input_file_id' });
    expect((await stranger.batches.list()).data).toEqual([]);
    await other.dispose();
    await Promise.all([ended(older.id), ended(newer.id)]);
  });

  it.each([
    [{}, 'input_file_id'],
    [{ input_file_id: 1 }, 'input_file_id'],
    [{ input_file_id: 'x', endpoint: '/v1/images' }, 'endpoint'],
    [{ input_file_id: 'x', endpoint: chats }, 'completion_window'],
    [{ input_file_id: 'x', endpoint: chats, completion_window: '1h' }, 'completion_window'],
    [{ input_file_id: 'x', endpoint: chats, completion_window: '24h', metadata: { a: 1 } }, 'metadata.a'],
    [
      { input_file_id: 'x', endpoint: chats, completion_window: '24h', output_expires_after: {} },
      'output_expires_after.anchor',
    ],
    [{ other: 1 }, 'other'],
  ])('refuses the body %j, naming %s', async (body, param) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it('refuses a file of another purpose', async () => {
    const response = await post({
      input_file_id: await upload([line('a', {})], 'user_data'),
      endpoint: chats,
      completion_window: '24h',
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'input_file_id' } }]);
  });
});

function post(body: object): Promise<Response> {
  return fetch(`${account.url}/v1/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
