import OpenAI, { NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const model = 'sandbox/chat';
let account: TestAccount;
let otherKey: string;

beforeAll(async () => {
  account = await newAccount();
  const query = 'mutation { createApiKey(input: { name: "other", scopes: [INFERENCE] }) { secret } }';
  const answer = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({ query }),
  });
  const data = z.object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) });
  otherKey = data.parse(await answer.json()).data.createApiKey.secret;
});

afterAll(() => account.dispose());

function as(apiKey: string = account.apiKey): OpenAI {
  return new OpenAI({ baseURL: `${account.url}/v1`, apiKey, maxRetries: 0 });
}

function send(method: string, path: string, body?: object | string, apiKey = account.apiKey): Promise<Response> {
  return fetch(`${account.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const said = (content: string) => ({ type: 'message' as const, role: 'user' as const, content });

async function textsOf(id: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const item of as().conversations.items.list(id, { order: 'asc' }))
    if (item.type === 'message')
      for (const part of item.content) if ('text' in part) texts.push(`${item.role}: ${part.text}`);
  return texts;
}

describe('a conversation', () => {
  it('is created, read, changed and deleted by the SDK', async () => {
    const created = await as().conversations.create({ metadata: { topic: 'a' }, items: [said('Hello')] });
    expectOpenAi('ConversationResource', created);
    expect(created.id).toMatch(/^conv_[0-9a-f]{32}$/);
    expect(await as().conversations.retrieve(created.id)).toEqual(created);
    const changed = await as().conversations.update(created.id, { metadata: { topic: 'b' } });
    expect(changed).toEqual({ ...created, metadata: { topic: 'b' } });
    const deleted = await as().conversations.delete(created.id);
    expectOpenAi('DeletedConversationResource', deleted);
    await expect(as().conversations.retrieve(created.id)).rejects.toBeInstanceOf(NotFoundError);
    expect((await send('GET', `/conversations/${created.id}/items`)).status).toBe(404);
  });

  it('has items, which are listed in pages, read and deleted', async () => {
    const { id } = await as().conversations.create({});
    const added = await as().conversations.items.create(id, { items: ['a', 'b', 'c'].map(said) });
    expectOpenAi('ConversationItemList', added);
    const [first, second, third] = added.data.map((item) => item.id ?? '');
    const page = await (await send('GET', `/conversations/${id}/items?limit=2&order=asc`)).json();
    expectOpenAi('ConversationItemList', page);
    expect(page).toMatchObject({ first_id: first, last_id: second, has_more: true });
    const newest = await (await send('GET', `/conversations/${id}/items?limit=1`)).json();
    expect(newest).toMatchObject({ first_id: third, has_more: true });
    expect(await textsOf(id)).toEqual(['user: a', 'user: b', 'user: c']);
    const item = await as().conversations.items.retrieve(second ?? '', { conversation_id: id });
    expectOpenAi('ConversationItem', item);
    await as().conversations.items.delete(second ?? '', { conversation_id: id });
    expect(await textsOf(id)).toEqual(['user: a', 'user: c']);
    // A deleted item's place is not used again.
    await as().conversations.items.create(id, { items: [said('d')] });
    expect(await textsOf(id)).toEqual(['user: a', 'user: c', 'user: d']);
    await expect(as().conversations.items.retrieve('msg_none', { conversation_id: id })).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });

  it.each([false, true])('is continued by responses, streamed: %s', async (stream) => {
    const { id } = await as().conversations.create({ items: [said('My name is Ada.')] });
    const texts: string[] = [];
    for (const input of ['First question', 'Second question']) {
      if (!stream) {
        const answered = await as().responses.create({ model, input, conversation: id });
        expect(answered.conversation).toEqual({ id });
        texts.push(`user: ${input}`, `assistant: ${answered.output_text}`);
        continue;
      }
      const events = await as().responses.create({ model, input, conversation: { id }, stream: true });
      for await (const event of events) {
        expectOpenAi('ResponseStreamEvent', event);
        if (event.type === 'response.completed')
          texts.push(`user: ${input}`, `assistant: ${event.response.output.map(outputText).join('')}`);
      }
    }
    expect(await textsOf(id)).toEqual(['user: My name is Ada.', ...texts]);
    const counted = await as().responses.create({ model, input: 'Third', conversation: id });
    const alone = await as().responses.create({ model, input: 'Third' });
    expect(counted.usage?.input_tokens).toBeGreaterThan(alone.usage?.input_tokens ?? 0);
  });

  it('keeps the items of responses at once', async () => {
    const { id } = await as().conversations.create({});
    const inputs = Array.from({ length: 8 }, (_, index) => `Question ${index}`);
    await Promise.all(inputs.map((input) => as().responses.create({ model, input, conversation: id, store: false })));
    const texts = await textsOf(id);
    expect(texts).toHaveLength(16);
    for (const input of inputs) expect(texts.filter((text) => text === `user: ${input}`)).toHaveLength(1);
  });

  it('is not found for other keys and accounts', async () => {
    const { id } = await as().conversations.create({ items: [said('Secret')] });
    const stranger = await newAccount();
    for (const apiKey of [otherKey, stranger.apiKey]) {
      expect((await send('GET', `/conversations/${id}`, undefined, apiKey)).status).toBe(404);
      expect((await send('GET', `/conversations/${id}/items`, undefined, apiKey)).status).toBe(404);
      expect((await send('POST', `/conversations/${id}`, { metadata: {} }, apiKey)).status).toBe(404);
      expect((await send('POST', `/conversations/${id}/items`, { items: [said('x')] }, apiKey)).status).toBe(404);
      expect((await send('DELETE', `/conversations/${id}`, undefined, apiKey)).status).toBe(404);
      expect((await send('POST', '/responses', { model, input: 'x', conversation: id }, apiKey)).status).toBe(404);
    }
    await stranger.dispose();
    expect(await textsOf(id)).toEqual(['user: Secret']);
  });

  it.each([
    ['/conversations', { items: 'x' }, 'items'],
    ['/conversations', { items: Array.from({ length: 21 }, () => said('x')) }, 'items'],
    ['/conversations', { metadata: { a: 1 } }, 'metadata'],
    ['/conversations', { metadata: 'x' }, 'metadata'],
    ['/responses', { model, input: 'x', conversation: 'conv_none' }, 'conversation'],
  ])('%s is refused with %j', async (path, body, param) => {
    const response = await send('POST', path, body);
    expect([400, 404]).toContain(response.status);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it('cannot be combined with a previous response', async () => {
    const { id } = await as().conversations.create({});
    const previous = await as().responses.create({ model, input: 'x' });
    const body = { model, input: 'y', conversation: id, previous_response_id: previous.id };
    const response = await send('POST', '/responses', body);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'previous_response_id' } }]);
  });

  it.each(['{', '[]', '"x"'])('is not created with the body %s', async (body) => {
    expect((await send('POST', '/conversations', body)).status).toBe(400);
  });

  it('is created once for one Idempotency-Key', async () => {
    const create = (): Promise<Response> =>
      fetch(`${account.url}/v1/conversations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${account.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'conversation-1',
        },
        body: '{}',
      });
    const first = await (await create()).json();
    expect(await (await create()).json()).toEqual(first);
  });
});

function outputText(item: OpenAI.Responses.ResponseOutputItem): string {
  if (item.type !== 'message') return '';
  return item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
}
