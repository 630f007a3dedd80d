import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ param: z.string().nullish() }) })).optional(),
});

describe('the aliases of a key', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await newAccount();
  });

  afterAll(() => account.dispose());

  async function ask(query: string, variables: object = {}) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ query, variables }),
    });
    return answerSchema.parse(await response.json());
  }

  const create = `mutation ($input: CreateApiKeyInput!) {
    createApiKey(input: $input) { secret apiKey { id modelAliases { name model } } }
  }`;

  async function newKey(input: object) {
    const { data, errors } = await ask(create, { input: { name: 'Key', ...input } });
    expect(errors).toBeUndefined();
    return data?.createApiKey;
  }

  const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${account.url}/v1`, apiKey, maxRetries: 0 });
  const chat = (secret: string, model: string) =>
    clientOf(secret).chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] });

  const aliases = [
    { name: 'claude-*', model: 'sandbox/chat' },
    { name: 'my-model', model: 'sandbox/chat' },
  ];

  it('lead names and patterns to a model, for this key alone', async () => {
    const { secret, apiKey } = await newKey({ modelAliases: aliases });
    expect(apiKey.modelAliases).toEqual(aliases);
    for (const name of ['claude-opus-4-9', 'my-model'])
      expect((await chat(secret, name)).choices[0]?.message.content).toEqual(expect.any(String));
    await expect(chat(account.apiKey, 'my-model')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    await expect(chat(secret, 'gpt-0')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('are listed as models, patterns excepted', async () => {
    const { secret } = await newKey({ modelAliases: aliases });
    const ids = (await clientOf(secret).models.list()).data.map(({ id }) => id);
    expect(ids).toContain('my-model');
    expect(ids).toContain('sandbox/chat');
    expect(ids.filter((id) => id.includes('*'))).toEqual([]);
    expect(await clientOf(secret).models.retrieve('my-model')).toMatchObject({ id: 'my-model', provider: 'sandbox' });
    const gemini = await fetch(`${account.url}/v1beta/models/my-model`, { headers: { 'x-goog-api-key': secret } });
    expect(await gemini.json()).toMatchObject({ name: 'models/my-model' });
  });

  it('hold for tokens that are counted, and for every client protocol', async () => {
    const { secret } = await newKey({ modelAliases: aliases });
    const post = async (path: string, body: object) => {
      const response = await fetch(account.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return [response.status, await response.json()] as const;
    };
    const messages = [{ role: 'user', content: 'Hello' }];
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const model = 'claude-haiku-4-5';
    expect(await post('/v1/messages/count_tokens', { model, messages })).toMatchObject([200, {}]);
    expect(await post('/v1/messages', { model, messages, max_tokens: 20 })).toMatchObject([200, { model }]);
    expect(await post('/v1/responses', { model, input: 'Hello' })).toMatchObject([200, { status: 'completed' }]);
    expect(await post('/v1/completions', { model, prompt: 'Hello' })).toMatchObject([200, { choices: [{}] }]);
    expect(await post(`/v1beta/models/${model}:generateContent`, { contents })).toMatchObject([
      200,
      { candidates: [{}] },
    ]);
  });

  it('extend neither the allowed models of the key nor its limits', async () => {
    const restricted = await newKey({ modelAliases: aliases, allowedModels: ['openai/gpt-4.1'] });
    await expect(chat(restricted.secret, 'my-model')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    const limited = await newKey({
      modelAliases: aliases,
      limits: { perModel: [{ model: 'sandbox/chat', requestsPerDay: 1 }] },
    });
    await chat(limited.secret, 'claude-opus-4-9');
    await expect(chat(limited.secret, 'my-model')).rejects.toMatchObject({ status: 429 });
  });

  it('are changed and removed', async () => {
    const { secret, apiKey } = await newKey({ modelAliases: aliases });
    await chat(secret, 'my-model');
    const change =
      'mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { modelAliases { name model } } }';
    const kept = await ask(change, { input: { id: apiKey.id, name: 'Renamed' } });
    expect(kept.data?.updateApiKey.modelAliases).toEqual(aliases);
    const removed = await ask(change, { input: { id: apiKey.id, modelAliases: [] } });
    expect(removed.data?.updateApiKey.modelAliases).toEqual([]);
    await expect(chat(secret, 'my-model')).rejects.toMatchObject({ code: 'model_not_found' });
  });

  it.each([
    [[{ name: 'a*b', model: 'sandbox/chat' }], 'modelAliases.0.name'],
    [[aliases[0], { name: 'x', model: 'sandbox/chatt' }], 'modelAliases.1.model'],
    [[aliases[0], aliases[0]], 'modelAliases.1'],
  ])('%j are refused', async (modelAliases, param) => {
    const { errors } = await ask(create, { input: { name: 'Key', modelAliases } });
    expect(errors).toMatchObject([{ extensions: { param } }]);
  });
});
