import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const model = 'sandbox/chat';
let account: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  account = await newAccount();
  client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

afterAll(() => account.dispose());

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${account.url}/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json', ...init.headers },
  });
}

async function codeOf(asking: Promise<unknown>): Promise<{ status: number; code: unknown; param: unknown }> {
  try {
    await asking;
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return { status: error.status, code: error.code, param: error.param };
  }
  return expect.fail('it was taken');
}

const weather = {
  type: 'function' as const,
  name: 'weather',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

describe('a response through the official SDK', () => {
  it('is generated, stored, and retrieved', async () => {
    const { data: made, response } = await client.responses
      .create({ model, input: 'Say hello.', instructions: 'Be brief.', metadata: { team: 'a' } })
      .withResponse();
    expect(made).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      instructions: 'Be brief.',
      metadata: { team: 'a' },
      tools: [],
      parallel_tool_calls: true,
      store: true,
      background: false,
    });
    expect(made.id).toMatch(/^resp_[0-9a-f]{32}$/);
    expect(made.output_text).toContain('no AI model');
    expect(made.usage?.input_tokens).toBeGreaterThan(0);
    expect(made.usage?.total_tokens).toBe((made.usage?.input_tokens ?? 0) + (made.usage?.output_tokens ?? 0));
    expect(response.headers.get('x-sluice-provider')).toBe('sandbox');
    expect(response.headers.get('x-sluice-cost')).not.toBeNull();
    expect(made.usage).toMatchObject({ cost: Number(response.headers.get('x-sluice-cost')) });
    expect(response.headers.get('x-ratelimit-limit-requests')).not.toBeNull();
    expect(await client.responses.retrieve(made.id)).toEqual(made);
    const items = await client.responses.inputItems.list(made.id);
    expect(items.data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] }]);
    const [only] = items.data;
    expect(await client.get(`/responses/${made.id}/input_items`)).toMatchObject({
      first_id: only?.id,
      last_id: only?.id,
    });
  });

  it('is streamed event by event with the same result', async () => {
    const stream = await client.responses.create({ model, input: 'Say hello.', stream: true });
    const seen = [];
    for await (const event of stream) seen.push(event);
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, at) => at));
    expect(seen[0]?.type).toBe('response.created');
    const last = seen.at(-1);
    if (last?.type !== 'response.completed') return expect.fail('it did not complete');
    const said = seen.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : [])).join('');
    expect(said).toContain('no AI model');
    const kept = await client.responses.retrieve(last.response.id);
    expect(kept.output_text).toBe(said);
    expect(last.response.usage?.output_tokens).toBeGreaterThan(0);
    return undefined;
  });

  it('is accumulated by the helper of the SDK', async () => {
    const final = await client.responses.stream({ model, input: 'Say hello.' }).finalResponse();
    expect(final.output_text).toContain('no AI model');
  });

  it('calls a tool, and continues with its result by the ID of the response', async () => {
    const asked = await client.responses.create({
      model,
      input: 'Weather in Rome?',
      tools: [weather],
      tool_choice: 'required',
    });
    const [call] = asked.output.filter((item) => item.type === 'function_call');
    expect(call?.name).toBe('weather');
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: expect.any(String) });
    const answered = await client.responses.create({
      model,
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'sunny' }],
      tools: [weather],
    });
    expect(answered.status).toBe('completed');
    expect(answered.previous_response_id).toBe(asked.id);
    expect(answered.usage?.input_tokens).toBeGreaterThan(0);
    // Its input contains only its own items.
    expect((await client.responses.inputItems.list(answered.id)).data).toMatchObject([
      { type: 'function_call_output', output: 'sunny' },
    ]);
  });

  it('accepts an item of a stored response by its ID', async () => {
    const first = await client.responses.create({ model, input: 'Say hello.' });
    const [message] = first.output;
    const again = await client.responses.create({
      model,
      input: [
        { role: 'user', content: 'Say hello.' },
        { type: 'item_reference', id: message?.id ?? '' },
        { role: 'user', content: 'And again.' },
      ],
    });
    expect((await client.responses.inputItems.list(again.id, { order: 'asc' })).data[1]).toMatchObject({
      role: 'assistant',
      content: [{ type: 'output_text', text: first.output_text }],
    });
  });

  it('satisfies a schema', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const made = await client.responses.create({
      model,
      input: 'A number.',
      text: { format: { type: 'json_schema', name: 'number', schema, strict: true } },
    });
    expect(JSON.parse(made.output_text)).toEqual({ n: expect.any(Number) });
  });

  it('is incomplete if it is truncated', async () => {
    const made = await client.responses.create({ model, input: 'Tell me all.', max_output_tokens: 16 });
    expect(made).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });

  it('is not stored with `store: false`', async () => {
    const made = await client.responses.create({ model, input: 'Say hello.', store: false });
    expect(await codeOf(client.responses.retrieve(made.id))).toMatchObject({ status: 404 });
  });

  it('is deleted', async () => {
    const made = await client.responses.create({ model, input: 'Say hello.' });
    expect(await (await ask(`/responses/${made.id}`, { method: 'DELETE' })).json()).toEqual({
      id: made.id,
      object: 'response',
      deleted: true,
    });
    expect(await codeOf(client.responses.retrieve(made.id))).toMatchObject({ status: 404 });
    expect(
      await codeOf(client.responses.create({ model, input: 'And?', previous_response_id: made.id })),
    ).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' });
  });

  it('refuses parameters that chats do not support', async () => {
    const { response } = await client.responses
      .create({ model, input: 'Say hello.', truncation: 'auto', reasoning: { summary: 'auto' } })
      .withResponse();
    expect(response.headers.get('x-sluice-dropped-params')).toBe('reasoning.summary, truncation');
  });

  it('returns errors in the format of the API', async () => {
    expect(await codeOf(client.responses.create({ model: 'nobody/nothing', input: 'x' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(await codeOf(client.responses.create({ model, input: 'x', temperature: 3 }))).toMatchObject({
      status: 400,
      param: 'temperature',
    });
    const wrong = await ask('/responses', { method: 'POST', body: '{' });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error', message: expect.stringContaining('JSON') } },
    ]);
    expect((await ask('/responses', { method: 'PUT' })).status).toBe(405);
    expect((await ask('/responses', { method: 'POST', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await fetch(`${account.url}/v1/responses`, { method: 'POST' })).status).toBe(401);
    expect((await ask('/responses/resp_none')).status).toBe(404);
  });

  it.each([
    ['"input":"a","Input":"b"', 'misspelled_parameter', 'Input'],
    ['"input":"a","input":"b"', 'duplicate_parameter', 'input'],
    ['"input":"a","Messages":[]', 'misspelled_parameter', 'Messages'],
  ])('is refused if it is ambiguous: %s', async (members, code, param) => {
    const refused = await ask('/responses', { method: 'POST', body: `{"model":"${model}",${members}}` });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code, param } });
  });

  it('is compacted, and continues from its compaction', async () => {
    const first = await client.responses.create({ model, input: 'Say hello.' });
    const compacted = await client.responses.compact({ model, previous_response_id: first.id, input: 'And then?' });
    expectOpenAi('CompactResource', compacted);
    expect(compacted).toMatchObject({ object: 'response.compaction', output: [{ type: 'compaction' }] });
    expect(compacted.usage.output_tokens).toBeGreaterThan(0);
    const [item] = compacted.output;
    if (item?.type !== 'compaction') return expect.fail('no compaction');
    const next = await client.responses.create({ model, input: [item, { role: 'user', content: 'Go on.' }] });
    expect(next.status).toBe('completed');
    expect((await codeOf(client.responses.retrieve(compacted.id))).status).toBe(404);
  });

  it.each([
    ['{}', 400, 'missing_model'],
    [`{"model":"${model}","input":3}`, 400, 'invalid_type'],
    [`{"model":"nobody/knows","input":"x"}`, 404, 'model_not_found'],
    ['[', 400, null],
    [`\ufeff{"model":"${model}","input":{}}`, 400, 'invalid_type'],
  ])('is not compacted with the body %s', async (body, status, code) => {
    const refused = await ask('/responses/compact', { method: 'POST', body });
    expect(refused.status).toBe(status);
    const { error } = (await refused.json()) as { error: { code: string | null } };
    if (code !== 'missing_model') expect(error.code).toBe(code);
  });

  it('is compacted from a body with a byte order mark', async () => {
    const body = `\ufeff${JSON.stringify({ model, input: 'Hello' })}`;
    const compacted = await ask('/responses/compact', { method: 'POST', body });
    expect(await compacted.json()).toMatchObject({ object: 'response.compaction' });
  });

  it('is compacted by POST only', async () => {
    expect((await ask('/responses/compact')).status).toBe(405);
  });

  it('has its input tokens estimated free of charge', async () => {
    const counted = await client.responses.inputTokens.count({
      model,
      instructions: 'y'.repeat(400),
      input: 'x'.repeat(400),
    });
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: 200 });
    const made = await client.responses.create({ model, input: 'y'.repeat(4_000) });
    const continued = await client.responses.inputTokens.count({
      model,
      input: 'Hello',
      previous_response_id: made.id,
    });
    expect(continued.input_tokens).toBeGreaterThan(1_000);
    const { id: conversation } = await client.conversations.create({
      items: [{ type: 'message', role: 'user', content: 'z'.repeat(8_000) }],
    });
    const within = await client.responses.inputTokens.count({ model, input: 'Hello', conversation });
    expect(within.input_tokens).toBeGreaterThan(2_000);
    const missing = await ask('/responses/input_tokens', { method: 'POST', body: JSON.stringify({ model }) });
    expect(await missing.json()).toMatchObject({ error: { code: 'missing_required_parameter', param: 'input' } });
    expect((await ask('/responses/input_tokens', { method: 'DELETE' })).status).toBe(405);
  });

  it('without `background` can neither be cancelled nor streamed again', async () => {
    const made = await client.responses.create({ model, input: 'Say hello.' });
    expect(await codeOf(client.responses.cancel(made.id))).toMatchObject({
      status: 400,
      code: 'response_not_background',
    });
    expect(await codeOf(client.responses.retrieve(made.id, { stream: true }))).toMatchObject({
      status: 400,
      param: 'stream',
    });
  });
});
