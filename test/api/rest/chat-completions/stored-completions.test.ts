import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chunk, completion, stream, type FakeProvider } from '../../../harness/fake-provider.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { operator } from '../../../harness/operator.ts';
import type { TestAccount } from '../../../harness/shared-server.ts';

const model = 'openai/gpt-4.1-mini';
const messages = [{ role: 'user', content: 'Hello' }] as const;
let account: TestAccount;
let other: TestAccount;
let provider: FakeProvider;
let client: OpenAI;
let otherKey: string;

beforeAll(async () => {
  const operated = await operator();
  ({ provider } = operated);
  account = await operated.newAccount();
  other = await operated.newAccount();
  client = as(account.apiKey);
  const query = 'mutation { createApiKey(input: { name: "other", scopes: [INFERENCE] }) { secret } }';
  const made = await send('POST', '/graphql', { query });
  const data = z.object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) });
  otherKey = data.parse(await made.json()).data.createApiKey.secret;
});

beforeEach(() => {
  // Each has an id of its own, as with a provider.
  provider.answerWith((request, response) => completion({ id: newId() })(request, response));
});

afterAll(async () => {
  await account.dispose();
  await other.dispose();
});

function as(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${account.url}/v1`, apiKey, maxRetries: 0 });
}

function send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${account.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

let ids = 0;
function newId(): string {
  return `chatcmpl-${process.pid}-${ids++}`;
}

const create = (more: object = {}) =>
  client.chat.completions.create({ model, messages: [...messages], store: true, stream: false, ...more });

describe('a stored chat completion', () => {
  it('is created, read, listed, changed and deleted by the SDK', async () => {
    const made = await create({ metadata: { topic: 'boats' } });
    const stored = { ...made, metadata: { topic: 'boats' } };
    const read = await client.chat.completions.retrieve(made.id);
    expectOpenAi('CreateChatCompletionResponse', read);
    expect(read).toEqual(stored);
    const { data } = await client.chat.completions.list({ metadata: { topic: 'boats' } });
    expect(data).toEqual([stored]);
    const changed = await client.chat.completions.update(made.id, { metadata: { topic: 'ships' } });
    expectOpenAi('CreateChatCompletionResponse', changed);
    expect(changed).toEqual({ ...made, metadata: { topic: 'ships' } });
    expect(await client.chat.completions.retrieve(made.id)).toEqual(changed);
    const deleted = await client.chat.completions.delete(made.id);
    expectOpenAi('ChatCompletionDeleted', deleted);
    expect(deleted).toEqual({ object: 'chat.completion.deleted', id: made.id, deleted: true });
    await expect(client.chat.completions.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.chat.completions.delete(made.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('is kept beside others of a provider that repeats its ids', async () => {
    provider.answerWith(completion({ id: 'chatcmpl-7' }));
    const made = [await create({ metadata: { n: '1' } }), await create({ metadata: { n: '2' } })];
    const [first, second] = made.map(({ id }) => id);
    expect(first).not.toBe(second);
    expect((await client.chat.completions.retrieve(first ?? '')).metadata).toEqual({ n: '1' });
    await client.chat.completions.delete(first ?? '');
    expect((await client.chat.completions.list()).data.map(({ id }) => id)).toEqual([second]);
    await client.chat.completions.delete(second ?? '');
  });

  it('is found as soon as its stream has ended, with its usage', async () => {
    provider.answerWith(stream(['Hel', 'lo']));
    const streamed = await client.chat.completions.create({
      model,
      messages: [...messages],
      store: true,
      stream: true,
      metadata: { topic: 'streams' },
    });
    let text = '';
    let id = '';
    for await (const part of streamed) {
      text += part.choices[0]?.delta.content ?? '';
      ({ id } = part);
    }
    const stored = await client.chat.completions.retrieve(id);
    expectOpenAi('CreateChatCompletionResponse', stored);
    expect(stored.choices[0]?.message.content).toBe(text);
    expect(stored).toMatchObject({ usage: { total_tokens: 17 }, metadata: { topic: 'streams' } });
    await client.chat.completions.delete(id);
  });

  it('has tools, a refusal, log probabilities and all choices', async () => {
    const called = [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }];
    const token = { token: 'No', logprob: -0.5, bytes: [78, 111], top_logprobs: [] };
    const choices = [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, tool_calls: called },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
      {
        index: 1,
        message: { role: 'assistant', content: null, refusal: 'No' },
        logprobs: { content: null, refusal: [token] },
        finish_reason: 'stop',
      },
    ];
    provider.answerWith(completion({ id: newId(), choices }));
    const made = await create({ n: 2 });
    const stored = await client.chat.completions.retrieve(made.id);
    expectOpenAi('CreateChatCompletionResponse', stored);
    expect(stored.choices).toEqual(choices);
    await client.chat.completions.delete(made.id);
  });

  it('is of the offline models, too', async () => {
    const made = await create({ model: 'sandbox/chat', n: 2, logprobs: true, metadata: null });
    const stored = await client.chat.completions.retrieve(made.id);
    expectOpenAi('CreateChatCompletionResponse', stored);
    expect(stored).toEqual({ ...made, metadata: {} });
    await client.chat.completions.delete(made.id);
  });

  it('lists the messages of its request in pages', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } };
    const sent: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image], name: 'ann' },
      { role: 'assistant', content: 'A boat.' },
    ];
    const { id } = await create({ messages: sent });
    const list = await (await send('GET', `/v1/chat/completions/${id}/messages`)).json();
    expect(list).toMatchObject({
      object: 'list',
      data: [
        { id: `${id}-0`, role: 'system', content: 'Be brief.', content_parts: null, refusal: null },
        { id: `${id}-1`, role: 'user', content: null, content_parts: sent[1]?.content, name: 'ann' },
        { id: `${id}-2`, role: 'assistant', content: 'A boat.' },
      ],
      first_id: `${id}-0`,
      last_id: `${id}-2`,
      has_more: false,
    });
    // The document permits only messages of the assistant, and its example has one of a user.
    const asAssistant = JSON.stringify(list).replaceAll(/"role":"\w+"/g, '"role":"assistant"');
    expectOpenAi('ChatCompletionMessageList', JSON.parse(asAssistant));
    const walked: string[] = [];
    for await (const message of client.chat.completions.messages.list(id, { limit: 1, order: 'desc' }))
      walked.push(message.id);
    expect(walked).toEqual([`${id}-2`, `${id}-1`, `${id}-0`]);
    const unknown = await send('GET', `/v1/chat/completions/${id}/messages?after=none`);
    expect(unknown.status).toBe(404);
    await client.chat.completions.delete(id);
  });

  it('is listed in pages, by model and metadata', async () => {
    const ids: string[] = [];
    for (const n of ['1', '2', '3']) ids.push((await create({ metadata: { n, list: 'pages' } })).id);
    const walked: string[] = [];
    for await (const { id } of client.chat.completions.list({ limit: 2, metadata: { list: 'pages' } })) walked.push(id);
    expect(walked.toSorted()).toEqual(ids.toSorted());
    const page = await (
      await send('GET', `/v1/chat/completions?limit=2&order=desc&model=${model}&metadata[list]=pages`)
    ).json();
    expectOpenAi('ChatCompletionList', page);
    const newest = walked.toReversed();
    expect(page).toMatchObject({ first_id: newest[0], last_id: newest[1], has_more: true });
    const rest = await client.chat.completions.list({ order: 'desc', after: newest[1], metadata: { list: 'pages' } });
    expect(rest.data.map(({ id }) => id)).toEqual(newest.slice(2));
    expect((await client.chat.completions.list({ model: 'sandbox/chat', metadata: { list: 'pages' } })).data).toEqual(
      [],
    );
    expect((await client.chat.completions.list({ metadata: { list: 'pages', n: '2' } })).data).toHaveLength(1);
    for (const id of ids) await client.chat.completions.delete(id);
    expectOpenAi('ChatCompletionList', await (await send('GET', '/v1/chat/completions')).json());
  });

  it.each([
    ['order=up', 'order'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['model=a&model=b', 'model'],
    ['model=%00', 'model'],
    ['metadata%5Ba%00%5D=b', 'metadata[a\u0000]'],
    ['metadata=x', 'metadata'],
    ['metadata[a]=1&metadata[a]=2', 'metadata[a]'],
  ])('is not listed by %s', async (query, param) => {
    const response = await send('GET', `/v1/chat/completions?${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });

  it('has metadata of limited size', async () => {
    const { id } = await create();
    const tooMany = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v']));
    for (const metadata of [tooMany, { ['k'.repeat(65)]: 'v' }, { k: 'v'.repeat(513) }]) {
      await expect(create({ metadata })).rejects.toThrow(BadRequestError);
      await expect(client.chat.completions.update(id, { metadata })).rejects.toMatchObject({
        status: 400,
        param: 'metadata',
      });
    }
    const missing = await send('POST', `/v1/chat/completions/${id}`, {});
    expect([missing.status, await missing.json()]).toMatchObject([
      400,
      { error: { code: 'missing_required_parameter', param: 'metadata' } },
    ]);
    const most = { ['k'.repeat(64)]: 'v'.repeat(512) };
    expect((await client.chat.completions.update(id, { metadata: most })).metadata).toEqual(most);
    expect((await client.chat.completions.update(id, { metadata: null })).metadata).toEqual({});
    await client.chat.completions.delete(id);
  });

  it('is its key’s alone: for another key and another account it is not found', async () => {
    const creator = as(otherKey);
    const { id } = await creator.chat.completions.create({ model, messages: [...messages], store: true });
    const stranger = new OpenAI({ baseURL: `${other.url}/v1`, apiKey: other.apiKey, maxRetries: 0 });
    const query = 'mutation { createApiKey(input: { name: "third", scopes: [INFERENCE] }) { secret } }';
    const made = z.object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) });
    const third = made.parse(await (await send('POST', '/graphql', { query })).json()).data.createApiKey.secret;
    for (const one of [stranger, as(third)]) {
      const { completions } = one.chat;
      const attempts = [
        () => completions.retrieve(id),
        () => completions.update(id, { metadata: {} }),
        () => completions.delete(id),
        () => completions.messages.list(id),
        () => completions.list({ after: id }),
      ];
      for (const attempt of attempts)
        await expect(attempt()).rejects.toMatchObject({
          status: 404,
          code: 'not_found',
          type: 'invalid_request_error',
        });
      expect((await completions.list()).data).toEqual([]);
    }
    expect((await creator.chat.completions.list()).data.map((each) => each.id)).toEqual([id]);
    // The first key may read and manage all of the account.
    expect((await client.chat.completions.retrieve(id)).id).toBe(id);
    await client.chat.completions.delete(id);
  });

  it('is served in Azure’s spelling, and with no other method', async () => {
    const { id } = await create();
    const headers = { 'api-key': account.apiKey, authorization: '' };
    const read = await send('GET', `/openai/v1/chat/completions/${id}`, undefined, headers);
    expect([read.status, await read.json()]).toMatchObject([200, { id }]);
    const list = await send('GET', '/openai/v1/chat/completions?limit=100', undefined, headers);
    expect(await list.json()).toMatchObject({ object: 'list' });
    for (const [method, path, allow] of [
      ['PUT', '/v1/chat/completions', 'GET, HEAD, POST, OPTIONS'],
      ['PATCH', `/v1/chat/completions/${id}`, 'GET, HEAD, POST, DELETE, OPTIONS'],
      ['POST', `/v1/chat/completions/${id}/messages`, 'GET, HEAD, OPTIONS'],
    ] as const) {
      const refused = await send(method, path);
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow]);
    }
    await client.chat.completions.delete(id);
  });

  it('is of a response that was sent completely', async () => {
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ role: 'assistant', content: 'Hel' }), () => response.destroy());
    });
    const cut = await send('POST', '/v1/chat/completions', { model, messages, store: true, stream: true });
    expect(await cut.text()).toContain('provider_stream_cut');
    expect((await client.chat.completions.list()).data).toEqual([]);
  });
});
