import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
const fields = 'id conversationId metadata itemCount createdAt';
const one = `query ($id: ID!) { conversation(id: $id) { ${fields} } }`;

let account: TestAccount;
let other: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  [account, other] = await Promise.all([newAccount(), newAccount()]);
  client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

afterAll(() => Promise.all([account.dispose(), other.dispose()]));

async function ask(query: string, variables: object = {}, secret = account.apiKey) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

async function newKey(scope: string): Promise<string> {
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
  return (await ask(query, { input: { name: 'k', scopes: [scope] } })).data.createApiKey.secret;
}

describe('a stored conversation in GraphQL', () => {
  it('is read by either ID, with the number of its items', async () => {
    const made = await client.conversations.create({
      metadata: { topic: 'boats' },
      items: [{ type: 'message', role: 'user', content: 'Hello' }],
    });
    const { data } = await ask(one, { id: made.id });
    expect(data.conversation).toMatchObject({
      conversationId: made.id,
      metadata: { topic: 'boats' },
      itemCount: 1,
    });
    const { id, createdAt } = data.conversation;
    expect(Math.floor(new Date(createdAt).getTime() / 1_000)).toBe(made.created_at);
    expect((await ask(one, { id })).data).toEqual(data);
    expect((await ask('query ($id: ID!) { node(id: $id) { id __typename } }', { id })).data.node).toEqual({
      id,
      __typename: 'Conversation',
    });
  });

  it('is listed, newest first, page by page in both directions', async () => {
    const made: string[] = [];
    for (let count = 0; count < 3; count++) made.unshift((await client.conversations.create({})).id);
    const list = async (page: object) => {
      const query = `query ($first: Int, $after: Cursor, $last: Int, $before: Cursor) {
        conversations(first: $first, after: $after, last: $last, before: $before) {
          nodes { conversationId } pageInfo { endCursor startCursor hasNextPage hasPreviousPage } } }`;
      const { nodes, pageInfo } = (await ask(query, page)).data.conversations;
      return { ids: nodes.map(({ conversationId }: { conversationId: string }) => conversationId), ...pageInfo };
    };
    const first = await list({ first: 2 });
    expect(first).toMatchObject({ ids: made.slice(0, 2), hasNextPage: true, hasPreviousPage: false });
    const second = await list({ first: 1, after: first.endCursor });
    expect(second.ids).toEqual(made.slice(2));
    expect((await list({ last: 2, before: second.startCursor })).ids).toEqual(made.slice(0, 2));
  });

  it('has its items, oldest first, page by page', async () => {
    const { id } = await client.conversations.create({});
    const answered = await client.responses.create({ model: 'sandbox/chat', conversation: id, input: 'Hello' });
    const query = `query ($conversationId: ID!, $first: Int, $after: Cursor) {
      conversationItems(conversationId: $conversationId, first: $first, after: $after) {
        nodes { itemId type role text body } pageInfo { endCursor hasNextPage } } }`;
    const first = (await ask(query, { conversationId: id, first: 1 })).data.conversationItems;
    expect(first.nodes).toEqual([
      {
        itemId: expect.any(String),
        type: 'message',
        role: 'user',
        text: 'Hello',
        body: expect.objectContaining({ type: 'message', role: 'user' }),
      },
    ]);
    expect(first.pageInfo.hasNextPage).toBe(true);
    const after = first.pageInfo.endCursor;
    const second = (await ask(query, { conversationId: id, after })).data.conversationItems;
    expect(second.nodes).toMatchObject([{ type: 'message', role: 'assistant', text: answered.output_text }]);
    expect(second.pageInfo.hasNextPage).toBe(false);
    expect((await ask(query, { conversationId: id, after: 'x' })).code).toBe('bad_user_input');
  });

  it('is visible to keys with `read`, deleted by keys with `manage`, and not found by other accounts', async () => {
    const { id } = await client.conversations.create({ items: [{ type: 'message', role: 'user', content: 'Hello' }] });
    const [reader, runner, manager] = [await newKey('READ'), await newKey('INFERENCE'), await newKey('MANAGE')];
    const remove = 'mutation ($id: ID!) { deleteConversation(id: $id) }';
    expect((await ask(one, { id }, reader)).data.conversation.conversationId).toBe(id);
    expect((await ask(one, { id }, runner)).code).toBe('insufficient_scope');
    expect((await ask(remove, { id }, reader)).code).toBe('insufficient_scope');
    expect((await ask(one, { id }, other.apiKey)).code).toBe('not_found');
    expect((await ask(remove, { id }, other.apiKey)).code).toBe('not_found');
    expect((await ask(remove, { id }, manager)).data.deleteConversation).toBe(true);
    expect((await ask(one, { id })).code).toBe('not_found');
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});
