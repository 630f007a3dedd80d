import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operator } from '../../harness/operator.ts';
import { signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string(), param: z.string().optional() }) })).optional(),
});

const create = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { secret apiKey { id moderation { model check action } } }
}`;
const update = `mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { moderation { model } } }`;
const save = `mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { name moderation { model check action } } }`;

const violent = 'I want to kill them.';
const blocks = { model: 'sandbox/moderation', check: ['INPUT'], action: 'BLOCK' };

describe('moderation of an account’s chats through GraphQL', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await (await operator()).newAccount();
  });

  afterAll(() => account.dispose());

  async function ask(cookie: string, query: string, variables: object) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    const { code = null, param = null } = errors?.[0]?.extensions ?? {};
    return { data: data ?? {}, code, param };
  }

  const signUp = async (): Promise<string> => (await signUpAt(account.url)).cookie;

  /** The status of a chat that says this, and the code of its error. */
  async function chat(secret: string, content: string, model = 'sandbox/chat'): Promise<string> {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    });
    const body = z.object({ error: z.object({ code: z.string() }).optional() }).parse(await response.json());
    const told = response.headers.get('x-sluice-moderation');
    return [response.status, body.error?.code ?? told ?? ''].join(' ').trim();
  }

  it('applies to a key from when it is set until it is removed', async () => {
    const person = await signUp();
    const made = await ask(person, create, { input: { name: 'k', moderation: blocks } });
    const { secret, apiKey } = made.data.createApiKey;
    expect(apiKey.moderation).toEqual(blocks);
    expect(await chat(secret, violent)).toBe('400 content_flagged');
    expect(await chat(secret, 'Hello')).toBe('200');

    const annotates = { model: 'sandbox/moderation', action: 'ANNOTATE' };
    await ask(person, update, { input: { id: apiKey.id, moderation: annotates } });
    expect(await chat(secret, violent)).toMatch(/^200 input=\S*violence; output=\S+$/);
    await ask(person, update, { input: { id: apiKey.id, name: 'renamed' } });
    expect(await chat(secret, violent)).toMatch(/^200 input=\S*violence/);
    const after = await ask(person, update, { input: { id: apiKey.id, moderation: null } });
    expect(after.data.updateApiKey.moderation).toBeNull();
    expect(await chat(secret, violent)).toBe('200');
  });

  it('applies to a route', async () => {
    const person = await signUp();
    const { secret } = (await ask(person, create, { input: { name: 'k' } })).data.createApiKey;
    const route = { name: 'safe', targets: [{ model: 'sandbox/chat' }] };
    const saved = await ask(person, save, { input: { ...route, moderation: { ...blocks, check: null } } });
    expect(saved.data.saveRoute.moderation).toEqual({ ...blocks, check: ['INPUT', 'OUTPUT'] });
    expect(await chat(secret, violent, 'safe')).toBe('400 content_flagged');
    expect(await chat(secret, violent)).toBe('200');
    expect((await ask(person, save, { input: route })).data.saveRoute.moderation).toBeNull();
    expect(await chat(secret, violent, 'safe')).toBe('200');
  });

  it('uses the operator’s model even if an account has a route with the same name', async () => {
    const person = await signUp();
    const { secret } = (await ask(person, create, { input: { name: 'k' } })).data.createApiKey;
    await ask(person, save, { input: { name: 'judge', targets: [{ model: 'sandbox/chat' }] } });
    expect(await chat(secret, violent, 'watched')).toBe('400 content_flagged');
    expect(await chat(secret, 'Hello', 'watched')).toBe('200');
  });

  it.each([
    [{ model: '', action: 'BLOCK' }, 'moderation.model'],
    [{ model: 'a\nb', action: 'BLOCK' }, 'moderation.model'],
    [{ model: 'sandbox/moderation', action: 'BLOCK', check: [] }, 'moderation.check'],
  ])('is refused as %j', async (moderation, param) => {
    const person = await signUp();
    const made = await ask(person, create, { input: { name: 'k', moderation } });
    expect(made).toMatchObject({ code: 'bad_user_input', param });
    const saved = await ask(person, save, { input: { name: 'r', targets: [{ model: 'sandbox/chat' }], moderation } });
    expect(saved).toMatchObject({ code: 'bad_user_input', param });
  });
});
