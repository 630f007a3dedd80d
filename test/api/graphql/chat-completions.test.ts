import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
const fields = 'id completionId model metadata outputText body cost { amount } createdAt expiresAt';

let account: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  account = await newAccount();
  client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

afterAll(() => account.dispose());

async function ask(query: string, variables: object = {}, secret = account.apiKey) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

function create(content: string, metadata: Record<string, string> = {}) {
  const messages = [{ role: 'user' as const, content }];
  return client.chat.completions.create({ model: 'sandbox/chat', messages, store: true, metadata });
}

describe('a stored chat completion in GraphQL', () => {
  it('is read by either ID, with its text and cost', async () => {
    const made = await create('Hello', { topic: 'boats' });
    const one = `query ($id: ID!) { chatCompletion(id: $id) { ${fields} } }`;
    const { data } = await ask(one, { id: made.id });
    expect(data.chatCompletion).toMatchObject({
      completionId: made.id,
      model: 'sandbox/chat',
      metadata: { topic: 'boats' },
      outputText: made.choices[0]?.message.content,
      body: { ...made, metadata: { topic: 'boats' } },
      cost: { amount: expect.any(String) },
    });
    const { id, createdAt, expiresAt } = data.chatCompletion;
    expect(new Date(expiresAt).getTime() - new Date(createdAt).getTime()).toBe(30 * 86_400_000);
    await ask('{ chatCompletions { nodes { id } } }');
    expect((await ask(one, { id })).data).toEqual(data);
    expect((await ask('query ($id: ID!) { node(id: $id) { id __typename } }', { id })).data.node).toEqual({
      id,
      __typename: 'ChatCompletion',
    });
  });

  it('is listed, newest first, by model and metadata', async () => {
    const [first, second] = [await create('1', { list: 'a', n: '1' }), await create('2', { list: 'a', n: '2' })];
    const list = async (filter: object) => {
      const query = `query ($filter: ChatCompletionFilter) { chatCompletions(filter: $filter) { nodes { completionId } } }`;
      const { data } = await ask(query, { filter });
      return data.chatCompletions.nodes.map(({ completionId }: { completionId: string }) => completionId);
    };
    const ofList = { name: 'list', value: 'a' };
    expect(await list({ metadata: [ofList] })).toEqual([second.id, first.id]);
    expect(await list({ metadata: [ofList, { name: 'n', value: '1' }] })).toEqual([first.id]);
    expect(await list({ model: 'sandbox/chat', metadata: [ofList] })).toHaveLength(2);
    expect(await list({ model: 'another', metadata: [ofList] })).toEqual([]);
  });

  it('is visible to keys with `read` and deleted by keys with `manage`', async () => {
    const { id } = await create('Hello');
    const make = async (scope: string): Promise<string> => {
      const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
      return (await ask(query, { input: { name: 'k', scopes: [scope] } })).data.createApiKey.secret;
    };
    const [reader, runner] = [await make('READ'), await make('INFERENCE')];
    const read = 'query ($id: ID!) { chatCompletion(id: $id) { completionId } }';
    const remove = 'mutation ($id: ID!) { deleteChatCompletion(id: $id) }';
    expect((await ask(read, { id }, reader)).data.chatCompletion).toEqual({ completionId: id });
    expect((await ask(read, { id }, runner)).code).toBe('insufficient_scope');
    expect((await ask(remove, { id }, reader)).code).toBe('insufficient_scope');
    expect((await ask(remove, { id })).data.deleteChatCompletion).toBe(true);
    expect((await ask(read, { id })).code).toBe('not_found');
    expect((await ask(remove, { id })).code).toBe('not_found');
    const unknown = Buffer.from('ChatCompletion:019ab000-0000-7000-8000-000000000001').toString('base64url');
    expect((await ask(read, { id: unknown })).code).toBe('not_found');
    expect(
      (await ask('query ($after: Cursor) { chatCompletions(after: $after) { nodes { id } } }', { after: unknown }))
        .code,
    ).toBe('not_found');
  });
});
