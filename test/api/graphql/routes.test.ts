import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { FakeProvider } from '../../harness/fake-provider.ts';
import { operator } from '../../harness/operator.ts';
import { setRole } from '../../harness/running-database.ts';
import { signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string(), param: z.string().optional() }) }))
    .optional(),
});

const fields = `id name targets { model weight } order sticky parameters retries batches
  timeouts { connectSeconds answerSeconds headersSeconds firstTokenSeconds betweenChunksSeconds }
  larger cacheSeconds createdAt updatedAt`;
const save = `mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { ${fields} } }`;
const remove = 'mutation ($id: ID!) { deleteRoute(id: $id) }';
const list = `{ routes { ${fields} } }`;
const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
const preview = `query ($model: String!) {
  previewRoute(model: $model) { name order retries cacheSeconds larger steps { model ownConnection share } }
}`;

describe('routes of an account through GraphQL', () => {
  let account: TestAccount;
  /** What accounts connect. */
  let outside: FakeProvider;

  beforeAll(async () => {
    const operated = await operator();
    ({ outside } = operated);
    account = await operated.newAccount();
  });

  afterAll(() => account.dispose());

  type Caller = Readonly<Record<string, string>>;

  async function ask(caller: Caller, query: string, variables: object = {}) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    return {
      data: data ?? {},
      code: errors?.[0]?.extensions.code ?? null,
      param: errors?.[0]?.extensions.param ?? null,
    };
  }

  async function signUp(): Promise<Caller> {
    const { cookie } = await signUpAt(account.url);
    return { cookie };
  }

  /** Somebody whose only role is this one. */
  async function signUpAs(role: string): Promise<Caller> {
    const { email, cookie } = await signUpAt(account.url);
    await setRole(account.database, email, role);
    return { cookie };
  }

  async function keyOf(person: Caller, scopes = ['INFERENCE']): Promise<Caller> {
    const made = await ask(person, 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }', {
      input: { name: 'k', scopes, ...(scopes.includes('MANAGE') && { role: 'ADMIN' }) },
    });
    return { authorization: `Bearer ${made.data.createApiKey.secret}` };
  }

  /** The model that answered, or the error's code. */
  async function chat(caller: Caller, model: string): Promise<string | null> {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    const body = z.object({ error: z.object({ code: z.string() }).optional() }).parse(await response.json());
    return body.error?.code ?? response.headers.get('x-sluice-model');
  }

  async function connected(): Promise<Caller> {
    const person = await signUp();
    await ask(person, connect, { input: { provider: 'mine', baseUrl: outside.url } });
    return person;
  }

  const sandbox = { name: 'new', targets: [{ model: 'sandbox/chat' }] };

  it('list the operator’s routes and aliases separately from the account’s own', async () => {
    const { data } = await ask(
      await signUp(),
      '{ serverRoutes { name aliasOf order targets { model weight } } routes { name } }',
    );
    expect(data).toEqual({
      routes: [],
      serverRoutes: [
        { name: 'everyones', aliasOf: null, order: 'LISTED', targets: [{ model: 'sandbox/chat', weight: 1 }] },
        {
          name: 'judge',
          aliasOf: 'sandbox/moderation',
          order: null,
          targets: [{ model: 'sandbox/moderation', weight: 1 }],
        },
        { name: 'short', aliasOf: 'everyones', order: null, targets: [{ model: 'everyones', weight: 1 }] },
        { name: 'watched', aliasOf: null, order: 'LISTED', targets: [{ model: 'sandbox/chat', weight: 1 }] },
      ],
    });
  });

  it('serve only their account until they are deleted', async () => {
    const [person, stranger] = [await connected(), await signUp()];
    const [key, strangersKey] = [await keyOf(person), await keyOf(stranger)];
    expect(await chat(key, 'new')).toBe('model_not_found');
    const made = (await ask(person, save, { input: sandbox })).data.saveRoute;
    expect(await chat(key, 'new')).toBe('sandbox/chat');
    expect(await chat(strangersKey, 'new')).toBe('model_not_found');

    const replaced = { name: 'new', targets: [{ model: 'mine/llama' }], saveAnyway: true };
    const after = (await ask(person, save, { input: replaced })).data.saveRoute;
    expect(after).toMatchObject({ id: made.id, createdAt: made.createdAt, targets: [{ model: 'mine/llama' }] });
    expect(await chat(key, 'new')).toBe('mine/llama');
    expect(outside.requests.at(-1)?.json.model).toBe('llama');

    expect((await ask(person, remove, { id: made.id })).data).toEqual({ deleteRoute: true });
    expect(await chat(key, 'new')).toBe('model_not_found');
    expect((await ask(person, list)).data.routes).toEqual([]);
    expect((await ask(person, remove, { id: made.id })).code).toBe('not_found');
  });

  it('require no connection of the account', async () => {
    const person = await signUp();
    const key = await keyOf(person);
    await ask(person, save, { input: sandbox });
    expect(await chat(key, 'new')).toBe('sandbox/chat');
  });

  it('take precedence over the server’s names until deleted', async () => {
    const [person, stranger] = [await connected(), await signUp()];
    const [key, strangersKey] = [await keyOf(person), await keyOf(stranger)];
    for (const name of ['everyones', 'sandbox/chat']) {
      const input = { name, targets: [{ model: 'mine/llama' }], saveAnyway: true };
      const { id } = (await ask(person, save, { input })).data.saveRoute;
      expect([name, await chat(key, name)]).toEqual([name, 'mine/llama']);
      expect([name, await chat(strangersKey, name)]).toEqual([name, 'sandbox/chat']);
      await ask(person, remove, { id });
      expect([name, await chat(key, name)]).toEqual([name, 'sandbox/chat']);
    }
  });

  it('skip unavailable targets, and are not a model without any', async () => {
    const person = await signUp();
    const key = await keyOf(person);
    const targets = [{ model: 'cerebras/of-tomorrow' }, { model: 'groq/llama-3.1-8b-instant' }];
    const input = { name: 'everyones', targets, saveAnyway: true };
    await ask(person, save, { input });
    expect(await chat(key, 'everyones')).toBe('model_not_found');
    await ask(person, save, { input: { ...input, targets: [...targets, { model: 'sandbox/chat' }] } });
    expect(await chat(key, 'everyones')).toBe('sandbox/chat');
    await ask(person, connect, { input: { provider: 'groq', apiKey: 'a-key', baseUrl: outside.url } });
    expect(await chat(key, 'everyones')).toBe('groq/llama-3.1-8b-instant');
  });

  it('return exactly the saved settings', async () => {
    const person = await signUp();
    const full = {
      name: 'full',
      targets: [
        { model: 'sandbox/chat', weight: 0.25 },
        { model: 'openai/gpt-4o', weight: 1_000_000 },
      ],
      order: 'WEIGHTED',
      sticky: false,
      parameters: 'STRICT',
      retries: 0,
      batches: 'PROVIDER',
      timeouts: {
        connectSeconds: 1.001,
        answerSeconds: 2,
        headersSeconds: 0.3,
        firstTokenSeconds: 86_400,
        betweenChunksSeconds: 5,
      },
      larger: 'sandbox/chat',
      cacheSeconds: 1.5,
    };
    const times = { createdAt: expect.stringMatching(/^20\d\d-/), updatedAt: expect.stringMatching(/^20\d\d-/) };
    const id = expect.any(String);
    expect((await ask(person, save, { input: full })).data.saveRoute).toEqual({ id, ...full, ...times });
    const bare = {
      id,
      name: 'bare',
      targets: [{ model: 'sandbox/chat', weight: 1 }],
      order: null,
      sticky: null,
      parameters: null,
      retries: null,
      batches: null,
      timeouts: {
        connectSeconds: null,
        answerSeconds: null,
        headersSeconds: null,
        firstTokenSeconds: null,
        betweenChunksSeconds: null,
      },
      larger: null,
      cacheSeconds: null,
      ...times,
    };
    const little = { name: ' bare\n', targets: [{ model: 'sandbox/chat' }], order: null, timeouts: {} };
    expect((await ask(person, save, { input: little })).data.saveRoute).toEqual(bare);
    expect((await ask(person, list)).data.routes).toEqual([bare, { id, ...full, ...times }]);
    // What is saved again is replaced whole.
    expect((await ask(person, save, { input: { ...little, name: 'full' } })).data.saveRoute).toMatchObject({
      order: null,
      larger: null,
      cacheSeconds: null,
    });
  });

  it('are previewed as requests would be routed', async () => {
    const [person, stranger] = [await connected(), await signUp()];
    const targets = [
      { model: 'mine/llama', weight: 3 },
      { model: 'sandbox/chat', weight: 1 },
    ];
    const input = { name: 'new', targets, cacheSeconds: 60, larger: 'sandbox/chat', saveAnyway: true };
    await ask(person, save, { input });
    expect((await ask(person, preview, { model: 'new' })).data.previewRoute).toEqual({
      name: 'new',
      order: 'LISTED',
      retries: 2,
      cacheSeconds: 60,
      larger: 'sandbox/chat',
      steps: [
        { model: 'mine/llama', ownConnection: true, share: 0.75 },
        { model: 'sandbox/chat', ownConnection: false, share: 0.25 },
      ],
    });
    expect((await ask(stranger, preview, { model: 'new' })).data.previewRoute).toBeNull();
    await ask(person, save, { input: { ...sandbox, name: 'everyones' } });
    expect((await ask(person, preview, { model: 'everyones' })).data.previewRoute.retries).toBe(2);
    expect((await ask(stranger, preview, { model: 'everyones' })).data.previewRoute.retries).toBe(3);
  });

  it('cannot be read, replaced or deleted by another account', async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    const { id } = (await ask(person, save, { input: sandbox })).data.saveRoute;
    const theirs = (await ask(stranger, save, { input: { ...sandbox, retries: 5 } })).data.saveRoute;
    expect(theirs.id).not.toBe(id);
    for (const foreign of [id, 'nonsense', Buffer.from('Route:1').toString('base64url'), ''])
      expect((await ask(stranger, remove, { id: foreign })).code).toBe('not_found');
    expect((await ask(stranger, list)).data.routes).toMatchObject([{ id: theirs.id, retries: 5 }]);
    expect((await ask(person, list)).data.routes).toMatchObject([{ id, retries: null }]);
  });

  it('can be changed by owners and administrators and read by all roles except billing', async () => {
    const person = await signUp();
    const [manager, reader] = [await keyOf(person, ['MANAGE']), await keyOf(person, ['READ'])];
    const { id } = (await ask(manager, save, { input: sandbox })).data.saveRoute;
    expect((await ask(reader, list)).data.routes).toMatchObject([{ id }]);
    expect((await ask(manager, list)).code).toBe('insufficient_scope');
    for (const scopes of [['INFERENCE'], ['READ'], ['INFERENCE', 'READ']]) {
      const key = await keyOf(person, scopes);
      for (const [query, variables] of [
        [save, { input: sandbox }],
        [remove, { id }],
      ] as const)
        expect((await ask(key, query, variables)).code).toBe('insufficient_scope');
    }
    const roles = ['admin', 'developer', 'viewer', 'billing'] as const;
    const members = await Promise.all(roles.map(async (role) => ({ role, caller: await signUpAs(role) })));
    for (const { role, caller } of members) {
      const saved = await ask(caller, save, { input: sandbox });
      expect([role, saved.code]).toEqual([role, role === 'admin' ? null : 'forbidden']);
      const deleted = await ask(caller, remove, { id: saved.data.saveRoute?.id ?? id });
      expect([role, deleted.code]).toEqual([role, role === 'admin' ? null : 'forbidden']);
      expect([role, (await ask(caller, list)).code]).toEqual([role, role === 'billing' ? 'forbidden' : null]);
    }
    expect((await ask({}, list)).code).toBe('unauthenticated');
  });

  it('are limited to one per name and 100 in total', async () => {
    const person = await signUp();
    const same = await Promise.all(
      Array.from({ length: 6 }, async () => (await ask(person, save, { input: sandbox })).data.saveRoute?.id),
    );
    expect(new Set(same).size).toBe(1);
    const codes = await Promise.all(
      Array.from(
        { length: 104 },
        async (_, index) => (await ask(person, save, { input: { ...sandbox, name: `r${index}` } })).code,
      ),
    );
    expect(codes.filter((code) => code === null)).toHaveLength(99);
    expect(codes.filter((code) => code === 'too_many_routes')).toHaveLength(5);
    expect((await ask(person, list)).data.routes).toHaveLength(100);
    // What is there can still be changed.
    expect((await ask(person, save, { input: { ...sandbox, retries: 1 } })).data.saveRoute.retries).toBe(1);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(257) }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ name: 'a\ud800b' }, 'name'],
    [{ targets: [] }, 'targets'],
    [{ targets: Array.from({ length: 65 }, () => ({ model: 'm' })) }, 'targets'],
    [{ targets: [{ model: '' }] }, 'targets.0.model'],
    [{ targets: [{ model: 'a\udc00' }] }, 'targets.0.model'],
    [{ targets: [{ model: 'm', weight: -1 }] }, 'targets.0.weight'],
    [{ retries: 11 }, 'retries'],
    [{ larger: 'a\u0000' }, 'larger'],
    [{ cacheSeconds: 0 }, 'cacheSeconds'],
    [{ timeouts: { connectSeconds: 86_401 } }, 'timeouts.connectSeconds'],
  ])('are not created from %j', async (members, param) => {
    const owner = { cookie: account.cookie };
    expect(await ask(owner, save, { input: { ...sandbox, ...members } })).toMatchObject({
      code: 'bad_user_input',
      param,
    });
  });
});
