import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { completion, json, type FakeProvider } from '../../harness/fake-provider.ts';
import { operator } from '../../harness/operator.ts';
import { signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string(), param: z.string().optional() }) }))
    .optional(),
});

const create =
  'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id allowedModels } } }';
const update = 'mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { allowedModels } }';
const save = 'mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { targets { model } } }';
const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';

describe('model names saved through GraphQL', () => {
  let account: TestAccount;
  /** What accounts connect. */
  let outside: FakeProvider;

  beforeAll(async () => {
    const operated = await operator();
    ({ outside } = operated);
    account = await operated.newAccount();
  });

  afterEach(() => outside.answerWith(completion()));

  afterAll(() => account.dispose());

  async function ask(cookie: string, query: string, input: object) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ query, variables: { input } }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    const { code, param } = errors?.[0]?.extensions ?? {};
    return { data: data ?? {}, code, param, message: errors?.[0]?.message };
  }

  const signUp = async (): Promise<string> => (await signUpAt(account.url)).cookie;

  async function chat(secret: string, model: string): Promise<number> {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return response.status;
  }

  it('are accepted in every spelling that requests can use', async () => {
    const person = await signUp();
    const made = await ask(person, create, { name: 'k', allowedModels: ['sandbox/Chat', 'everyones', 'gpt-4o-mini'] });
    const { secret, apiKey } = made.data.createApiKey;
    expect(apiKey.allowedModels).toEqual(['sandbox/chat', 'everyones', 'gpt-4o-mini']);
    expect(await chat(secret, 'sandbox/chat')).toBe(200);
    expect(await chat(secret, 'sandbox/CHAT')).toBe(200);
    expect(await chat(secret, 'everyones')).toBe(200);
    expect(await chat(secret, 'openai/gpt-4o')).toBe(404);
  });

  it('are rejected if misspelled, with a suggestion', async () => {
    const person = await signUp();
    expect(await ask(person, create, { name: 'k', allowedModels: ['sandbox/caht'] })).toMatchObject({
      code: 'unknown_model_name',
      param: 'allowedModels.0',
      message: '`allowedModels.0`: no model, route or alias is named `sandbox/caht`. Did you mean `sandbox/chat`?',
    });
    expect(await ask(person, save, { name: 'r', targets: [{ model: 'everyones' }] })).toMatchObject({
      code: 'bad_user_input',
      param: 'targets.0.model',
    });
    const targets = [{ model: 'sandbox/chat' }, { model: 'openai/gpt-4o-mni' }];
    expect(await ask(person, save, { name: 'r', targets })).toMatchObject({
      code: 'unlisted_model_name',
      param: 'targets.1.model',
      message: expect.stringContaining('Did you mean `openai/gpt-4o-mini`?'),
    });
    expect((await ask(person, save, { name: 'r', targets, saveAnyway: true })).data.saveRoute).toEqual({ targets });
  });

  it('include the account’s routes and the models of its connections', async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    outside.answerWith(json(200, { object: 'list', data: [{ id: 'house-model', object: 'model' }] }));
    await ask(person, connect, { provider: 'mine', baseUrl: outside.url });
    const targets = [{ model: 'house-model' }];
    expect((await ask(person, save, { name: 'ours', targets })).data.saveRoute).toEqual({ targets });
    const allowedModels = ['mine/House-Model', 'ours'];
    const made = await ask(person, create, { name: 'k', allowedModels });
    expect(made.data.createApiKey.apiKey.allowedModels).toEqual(['mine/house-model', 'ours']);
    const { id } = made.data.createApiKey.apiKey;
    expect(await ask(person, update, { id, allowedModels: ['mine/hose-model', 'ours'] })).toMatchObject({
      code: 'unlisted_model_name',
      message: expect.stringContaining('Did you mean `mine/house-model`?'),
    });
    for (const name of allowedModels)
      expect(await ask(stranger, create, { name: 'k', allowedModels: [name] })).toMatchObject({
        code: 'unknown_model_name',
        param: 'allowedModels.0',
        message: expect.not.stringContaining('house-model`?'),
      });
  });
});
