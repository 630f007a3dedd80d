import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { knownProviders } from '../../../src/providers/registry.ts';
import { completion, json, refusal, type FakeProvider } from '../../harness/fake-provider.ts';
import { OPERATORS_KEY, operator } from '../../harness/operator.ts';
import { queryRunning, rowId, setRole, sqlText } from '../../harness/running-database.ts';
import { signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string(), param: z.string().optional() }) }))
    .optional(),
});

const fields =
  'id provider name baseUrl credentialHint options { name value } secretOptionNames lastTest { at succeeded message }';
const connect = `mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { ${fields} } }`;
const update = `mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { ${fields} } }`;
const test = `mutation ($id: ID!) { testConnection(id: $id) { ${fields} } }`;
const disconnect = 'mutation ($id: ID!) { disconnectProvider(id: $id) }';
const list = `{ providerConnections { ${fields} } }`;

const canary = 'sk-canary-9f8e7d6c5b4a3021';

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

describe('provider connections through GraphQL', () => {
  let account: TestAccount;
  let operators: FakeProvider;
  let own: FakeProvider;
  let inside: { port: number; seen: () => number; close: () => void };

  beforeAll(async () => {
    const operated = await operator();
    ({ provider: operators, outside: own } = operated);
    inside = await listen();
    account = await operated.newAccount();
  });

  beforeEach(() => {
    own.answerWith(completion());
    operators.answerWith(completion());
  });

  afterAll(async () => {
    await account.dispose();
    inside.close();
  });

  type Caller = Readonly<Record<string, string>>;

  async function ask(caller: Caller, query: string, variables: object = {}) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(JSON.parse(await withoutCredentials(response)));
    const error = errors?.[0];
    return {
      data: data ?? {},
      code: error?.extensions.code ?? null,
      param: error?.extensions.param ?? null,
      message: error?.message ?? null,
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

  async function chat(caller: Caller, model = 'openai/gpt-4.1-mini'): Promise<{ status: number }> {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await withoutCredentials(response);
    return { status: response.status };
  }

  const chatsAt = (provider: FakeProvider) => provider.requests.filter(({ path }) => path.endsWith('/completions'));
  const input = () => ({ provider: 'openai', apiKey: canary, baseUrl: own.url });

  it('serve the account’s requests before the operator’s connection until they are deleted', async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    const [key, strangersKey] = [await keyOf(person), await keyOf(stranger)];
    expect((await chat(key)).status).toBe(200);
    expect(chatsAt(operators).at(-1)?.headers.authorization).toBe(`Bearer ${OPERATORS_KEY}`);
    const before = chatsAt(operators).length;
    const made = (await ask(person, connect, { input: input() })).data.connectProvider;
    expect(made).toMatchObject({
      provider: 'openai',
      name: 'OpenAI',
      baseUrl: own.url,
      credentialHint: '…3021',
      options: [],
      secretOptionNames: [],
      lastTest: null,
    });
    expect((await chat(key)).status).toBe(200);
    expect(chatsAt(own).at(-1)?.headers.authorization).toBe(`Bearer ${canary}`);
    expect(chatsAt(operators)).toHaveLength(before);
    await chat(strangersKey);
    expect(chatsAt(operators)).toHaveLength(before + 1);

    const renewed = { id: made.id, apiKey: `${canary}-renewed` };
    expect((await ask(person, update, { input: renewed })).data.updateConnection.credentialHint).toBe('…ewed');
    await chat(key);
    expect(chatsAt(own).at(-1)?.headers.authorization).toBe(`Bearer ${canary}-renewed`);

    const owns = chatsAt(own).length;

    expect((await ask(person, disconnect, { id: made.id })).data).toEqual({ disconnectProvider: true });
    await chat(key);
    expect(chatsAt(own)).toHaveLength(owns);
    expect(chatsAt(operators)).toHaveLength(before + 2);
    expect((await ask(person, list)).data.providerConnections).toEqual([]);
  });

  it('list their models once the provider has returned them', async () => {
    const person = await signUp();
    const listing = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    own.answerWith(async (request, response) => {
      asked.resolve();
      await listing.promise;
      json(200, { object: 'list', data: [{ id: 'late-1' }] })(request, response);
    });
    await ask(person, connect, { input: { provider: 'late', baseUrl: own.url } });
    const listed = ask(person, '{ models(filter: { provider: "late" }) { nodes { id } } }');
    await asked.promise;
    listing.resolve();
    expect((await listed).data.models.nodes).toEqual([{ id: 'late/late-1' }]);
  });

  it('can be any OpenAI-compatible server', async () => {
    const person = await signUp();
    const key = await keyOf(person);
    expect((await chat(key, 'mine/llama')).status).toBe(404);
    expect((await ask(person, connect, { input: { provider: 'mine' } })).code).toBe('bad_user_input');
    const made = await ask(person, connect, { input: { provider: 'mine', name: 'At home', baseUrl: `${own.url}/` } });
    expect(made.data.connectProvider).toMatchObject({ name: 'At home', baseUrl: own.url, credentialHint: null });
    expect((await chat(key, 'mine/llama')).status).toBe(200);
    expect(chatsAt(own).at(-1)?.json.model).toBe('llama');
    expect(chatsAt(own).at(-1)?.headers.authorization).toBeUndefined();
    expect((await chat(await keyOf(await signUp()), 'mine/llama')).status).toBe(404);
  });

  it('reject non-public addresses on create and update', async () => {
    const person = await signUp();
    const made = (await ask(person, connect, { input: input() })).data.connectProvider;
    for (const baseUrl of [
      `http://127.0.0.1:${inside.port}/v1`,
      `http://2130706433:${inside.port}`,
      `http://[::ffff:127.0.0.1]:${inside.port}`,
      'http://169.254.169.254/latest/meta-data',
      'http://localhost:4000/v1',
      'http://user:password@example.com',
      'file:///etc/passwd',
    ]) {
      const refused = { code: 'outbound_refused', param: 'baseUrl' };
      expect(await ask(person, connect, { input: { provider: 'mine', baseUrl } })).toMatchObject(refused);
      expect(await ask(person, update, { input: { id: made.id, baseUrl, apiKey: 'another' } })).toMatchObject(refused);
    }
    // What is usually local is the operator's machine.
    expect((await ask(person, connect, { input: { provider: 'ollama' } })).code).toBe('outbound_refused');
    expect((await ask(person, list)).data.providerConnections).toMatchObject([{ baseUrl: own.url }]);
    expect(inside.seen()).toBe(0);
  });

  it('are never dialled at a non-public address', async () => {
    const person = await signUp();
    const key = await keyOf(person);
    const { id } = (await ask(person, connect, { input: input() })).data.connectProvider;
    // As if it had been stored before the guard, or allowed before.
    await queryRunning(
      account.database,
      `update provider_connections set base_url = ${sqlText(`http://127.0.0.1:${inside.port}/v1`)}
       where id = ${sqlText(rowId(id))}`,
    );
    expect((await chat(key)).status).toBe(502);
    expect((await ask(person, test, { id })).data.testConnection.lastTest).toMatchObject({
      succeeded: false,
      message: expect.stringContaining('127.0.0.1 is not a public address'),
    });
    expect(inside.seen()).toBe(0);
  });

  it('do not follow redirects', async () => {
    const person = await signUp();
    const key = await keyOf(person);
    const { id } = (await ask(person, connect, { input: input() })).data.connectProvider;
    own.answerWith(json(307, '', { location: `http://127.0.0.1:${inside.port}/v1/models` }));
    expect((await ask(person, test, { id })).data.testConnection.lastTest.succeeded).toBe(false);
    expect((await chat(key)).status).toBeGreaterThanOrEqual(400);
    expect(inside.seen()).toBe(0);
  });

  it('are tested by listing models and show the provider’s message without secrets', async () => {
    const person = await signUp();
    const { id } = (await ask(person, connect, { input: input() })).data.connectProvider;
    const outcome = async () => (await ask(person, test, { id })).data.testConnection.lastTest;
    own.answerWith(json(200, { object: 'list', data: [{ id: 'one' }, { id: 'two' }] }));
    expect(await outcome()).toMatchObject({ succeeded: true, message: 'The provider lists 2 models.' });
    own.answerWith(refusal(401, `Incorrect API key provided: ${canary}`));
    expect((await outcome()).message).toBe(
      'The provider rejected the credentials with status 401. Provider message: Incorrect API key provided: [removed]',
    );
    own.answerWith(refusal(418, `You sent ${canary}`));
    expect(await outcome()).toMatchObject({
      succeeded: false,
      message: 'The provider returned status 418. Provider message: You sent [removed]',
    });
    own.answerWith(refusal(500, `You sent ${canary}`));
    expect(await outcome()).toMatchObject({
      succeeded: false,
      message: 'The provider returned status 500. Provider message: You sent [removed]',
    });
    own.answerWith(json(200, 'no JSON'));
    expect((await outcome()).message).toContain('Check the base URL');
    own.answerWith((_request, response) => void response.destroy());
    expect((await outcome()).message).toContain('could not be reached');
    expect((await ask(person, list)).data.providerConnections[0].lastTest.at).toMatch(/^20\d\d-/);
    // Other credentials are not the ones that were tested.
    expect(
      (await ask(person, update, { input: { id, name: 'Renamed' } })).data.updateConnection.lastTest,
    ).not.toBeNull();
    expect((await ask(person, update, { input: { id, apiKey: 'x' } })).data.updateConnection.lastTest).toBeNull();
  });

  it('are listed with their models only for their account', async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    const [key, strangersKey] = [await keyOf(person), await keyOf(stranger)];
    own.answerWith(json(200, { object: 'list', data: [{ id: 'llama' }] }));
    const made = await ask(person, connect, { input: { provider: 'mine', baseUrl: own.url } });
    const get = (caller: Caller, path: string) => fetch(`${account.url}/v1/models${path}`, { headers: caller });
    expect(await (await get(key, '')).text()).toContain('"mine/llama"');
    expect((await get(key, '/mine/llama')).status).toBe(200);
    expect(await (await get(strangersKey, '')).text()).not.toContain('mine/');
    expect((await get(strangersKey, '/mine/llama')).status).toBe(404);
    const listed = async (caller: Caller) =>
      (await ask(caller, '{ models(first: 100, filter: { provider: "mine" }) { nodes { id } } }')).data.models.nodes;
    expect(await listed(person)).toEqual([{ id: 'mine/llama' }]);
    expect(await listed(stranger)).toEqual([]);
    own.answerWith(json(200, { object: 'list', data: [{ id: 'llama' }, { id: 'qwen' }] }));
    await ask(person, test, { id: made.data.connectProvider.id });
    expect(await listed(person)).toEqual([{ id: 'mine/llama' }, { id: 'mine/qwen' }]);
  });

  it('do not list models of the server at their previous address', async () => {
    const person = await signUp();
    const key = await keyOf(person);
    const mine = async (): Promise<string[]> => {
      const { data } = listSchema.parse(await (await fetch(`${account.url}/v1/models`, { headers: key })).json());
      return data.map(({ id }) => id).filter((id) => id.startsWith('mine/'));
    };
    own.answerWith(json(200, { object: 'list', data: [{ id: 'llama' }] }));
    const { id } = (await ask(person, connect, { input: { provider: 'mine', baseUrl: own.url } })).data.connectProvider;
    expect(await mine()).toEqual(['mine/llama']);
    own.answerWith(json(200, { object: 'list', data: [{ id: 'qwen' }] }));
    await ask(person, update, { input: { id, baseUrl: `${own.url}/v2` } });
    expect(await mine()).toEqual(['mine/qwen']);
    own.answerWith(refusal(500, 'No list'));
    await ask(person, update, { input: { id, baseUrl: `${own.url}/v3` } });
    expect(await mine()).toEqual([]);
  });

  it('require the credentials again when the base URL changes', async () => {
    const person = await signUp();
    const { id } = (await ask(person, connect, { input: input() })).data.connectProvider;
    const elsewhere = { baseUrl: 'https://collector.example.com/v1' };
    expect(await ask(person, update, { input: { id, ...elsewhere } })).toMatchObject({
      code: 'bad_user_input',
      param: 'apiKey',
    });
    expect(
      await ask(person, update, { input: { id, options: [{ name: 'resource', value: 'collector' }] } }),
    ).toMatchObject({ code: 'bad_user_input', param: 'apiKey' });
    expect(
      (await ask(person, update, { input: { id, baseUrl: own.url, name: 'Same' } })).data.updateConnection,
    ).toMatchObject({
      name: 'Same',
      credentialHint: '…3021',
    });
    expect(
      (await ask(person, update, { input: { id, ...elsewhere, apiKey: null } })).data.updateConnection,
    ).toMatchObject({
      ...elsewhere,
      credentialHint: null,
    });
  });

  it('cannot be read, changed, tested or deleted by another account', async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    const { id } = (await ask(person, connect, { input: input() })).data.connectProvider;
    const made = (await ask(stranger, connect, { input: input() })).data.connectProvider;
    expect(made.id).not.toBe(id);
    expect((await ask(stranger, update, { input: { id, name: 'mine now' } })).code).toBe('not_found');
    expect((await ask(stranger, test, { id })).code).toBe('not_found');
    expect((await ask(stranger, disconnect, { id })).code).toBe('not_found');
    expect((await ask(stranger, disconnect, { id: 'nonsense' })).code).toBe('not_found');
    expect((await ask(stranger, list)).data.providerConnections).toMatchObject([{ id: made.id }]);
    expect((await ask(person, list)).data.providerConnections).toMatchObject([{ id, name: 'OpenAI' }]);
  });

  it('are found by an ID with the former type name', async () => {
    const person = await signUp();
    const { id } = (await ask(person, connect, { input: input() })).data.connectProvider;
    const uuid = rowId(id);
    const former = Buffer.from(`ProviderConnection:${uuid}`).toString('base64url');
    expect(former).not.toBe(id);
    const node = 'query ($id: ID!) { node(id: $id) { __typename id } nodes(ids: [$id]) { id } }';
    const found = { __typename: 'ProviderCredential', id };
    expect((await ask(person, node, { id: former })).data).toEqual({ node: found, nodes: [{ id }] });
    const renamed = { id: former, name: 'Renamed' };
    expect((await ask(person, update, { input: renamed })).data.updateConnection).toMatchObject({
      id,
      name: 'Renamed',
    });
    expect((await ask(person, test, { id: former })).data.testConnection).toMatchObject({ id });
    expect((await ask(person, disconnect, { id: former })).data.disconnectProvider).toBe(true);
    expect((await ask(person, list)).data.providerConnections).toEqual([]);
  });

  it('cannot be decrypted in another account’s row', async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    const { id } = (await ask(person, connect, { input: input() })).data.connectProvider;
    const theirs = (await ask(stranger, connect, { input: { ...input(), apiKey: 'sk-strangers-own-key' } })).data
      .connectProvider;
    await queryRunning(
      account.database,
      `update provider_connections set sealed_credentials =
         (select sealed_credentials from provider_connections where id = ${sqlText(rowId(id))})
       where id = ${sqlText(rowId(theirs.id))}`,
    );
    const before = [own.requests.length, operators.requests.length];
    expect((await ask(stranger, test, { id: theirs.id })).data.testConnection.lastTest).toMatchObject({
      succeeded: false,
      message: expect.stringContaining('can no longer be read'),
    });
    // Nor are its requests sent under the operator's key instead.
    expect((await chat(await keyOf(stranger))).status).toBe(502);
    expect([own.requests.length, chatsAt(operators).length]).toEqual([before[0], chatsAt(operators).length]);
    const again = await ask(stranger, update, {
      input: { id: theirs.id, apiKey: 'sk-strangers-own-key', secretOptions: null },
    });
    expect(again.code).toBeNull();
    expect((await chat(await keyOf(stranger))).status).toBe(200);
  });

  it('require an owner, an administrator or a key with the scope `manage`', async () => {
    const person = await signUp();
    for (const scopes of [['INFERENCE'], ['READ'], ['INFERENCE', 'READ']]) {
      const key = await keyOf(person, scopes);
      for (const query of [list, '{ providers { id } }'])
        expect((await ask(key, query)).code).toBe('insufficient_scope');
    }
    const manager = await keyOf(person, ['MANAGE']);
    const { id } = (await ask(manager, connect, { input: input() })).data.connectProvider;
    const roles = ['developer', 'billing', 'viewer', 'admin'];
    const members = await Promise.all(roles.map(async (role) => ({ role, caller: await signUpAs(role) })));
    for (const { role, caller } of members)
      for (const [query, variables] of [
        [list, {}],
        ['{ providers { id } }', {}],
        [connect, { input: { ...input(), provider: 'mine' } }],
        [update, { input: { id, name: 'x' } }],
        [test, { id }],
        [disconnect, { id }],
      ] as const) {
        const { code } = await ask(caller, query, variables);
        expect([role, code === 'forbidden']).toEqual([role, role !== 'admin']);
      }
    expect((await ask({}, list)).code).toBe('unauthenticated');
  });

  it('are limited to one per provider and 50 in total', async () => {
    const person = await signUp();
    const codes = await Promise.all(
      Array.from({ length: 6 }, async () => (await ask(person, connect, { input: input() })).code),
    );
    expect(codes.toSorted()).toEqual([...Array<string>(5).fill('already_connected'), null]);
    const many = await Promise.all(
      Array.from(
        { length: 55 },
        async (_, index) =>
          (await ask(person, connect, { input: { provider: `mine-${index}`, baseUrl: own.url } })).code,
      ),
    );
    expect(many.filter((code) => code === null)).toHaveLength(49);
    expect(many.filter((code) => code === 'too_many_connections')).toHaveLength(6);
    expect((await ask(person, list)).data.providerConnections).toHaveLength(50);
  });

  it.each([
    [{ provider: 'No Provider' }, 'bad_user_input'],
    [{ provider: '' }, 'bad_user_input'],
    [{ provider: 'sandbox', baseUrl: 'https://example.com' }, 'bad_user_input'],
    [{ provider: 'openai' }, 'bad_user_input'],
    [{ provider: 'openai', apiKey: 'two\nlines' }, 'bad_user_input'],
    [{ provider: 'openai', apiKey: 'ключ' }, 'bad_user_input'],
    [{ provider: 'openai', apiKey: 'x'.repeat(5_000) }, 'bad_user_input'],
    [{ provider: 'openai', apiKey: 'k', name: 'a\u0000b' }, 'bad_user_input'],
    [{ provider: 'mine', baseUrl: 'https://example.com/v1?key=1' }, 'bad_user_input'],
    [{ provider: 'openai', apiKey: 'k', options: [{ name: 'client_secret', value: 'x' }] }, 'bad_user_input'],
    [{ provider: 'openai', apiKey: 'k', options: [{ name: '__proto__', value: 'x' }] }, 'bad_user_input'],
    [{ provider: 'openai', apiKey: 'k', secretOptions: [{ name: 'pem', value: 'a\u0000b' }] }, 'bad_user_input'],
    [{ provider: 'azure-openai', apiKey: 'k', options: [{ name: 'resource', value: 'a b' }] }, 'bad_user_input'],
  ])('are not created from %j', async (given, code) => {
    expect((await ask({ cookie: account.cookie }, connect, { input: given })).code).toBe(code);
  });

  it('do not repeat malformed credentials in errors', async () => {
    const person = await signUp();
    for (const given of [
      { ...input(), unknown: `a; "b"; ${canary}` },
      { ...input(), apiKey: [canary] },
      { ...input(), apiKey: { [canary]: canary } },
      { apiKey: canary },
    ]) {
      const { code, message } = await ask(person, connect, { input: given });
      expect(code).toBe('graphql_invalid');
      expect(message).toMatch(/^Variable "\$input" got an invalid value/);
    }
    const { message } = await ask(person, connect, { input: { provider: 'openai', name: 5 } });
    expect(message).toContain('at "input.name"');
  });

  it('list the supported providers', async () => {
    const { data } = await ask(await signUp(), '{ providers { id name documentation needsKey alsoKnownAs baseUrl } }');
    expect(data.providers.map(({ id }: { id: string }) => id)).toEqual([...knownProviders]);
    expect(data.providers[0]).toMatchObject({ id: 'openai', name: 'OpenAI', needsKey: true, alsoKnownAs: [] });
    const aliased = data.providers.find(({ alsoKnownAs }: { alsoKnownAs: string[] }) => alsoKnownAs.length > 0);
    const made = await ask(await signUp(), connect, {
      input: { provider: aliased.alsoKnownAs[0], apiKey: 'k', baseUrl: own.url },
    });
    expect(made.data.connectProvider.provider).toBe(aliased.id);
  });

  it('list the settings of each provider and which are secret', async () => {
    const { data } = await ask(await signUp(), '{ providers { id options { name isSecret description } } }');
    const optionsOf = (id: string) => data.providers.find((each: { id: string }) => each.id === id).options;
    expect(optionsOf('openai')).toEqual([]);
    expect(optionsOf('google-vertex')).toMatchObject([
      { name: 'project', isSecret: false },
      { name: 'location', isSecret: false },
      { name: 'client_email', isSecret: false },
      { name: 'private_key', isSecret: true },
      { name: 'anthropic_betas', isSecret: false },
      { name: 'prompt_caching', isSecret: false },
    ]);
  });

  it('report the connection in use, its models and their health only to their account', async () => {
    const states =
      '{ providerStates { provider ownConnection modelCount targets { model breaker availableInMs firstTokenMs } } }';
    const of = async (person: Caller) =>
      (await ask(person, states)).data.providerStates.find((each: { provider: string }) => each.provider === 'openai');
    const [person, other] = [await signUp(), await signUp()];
    expect(await of(person)).toMatchObject({ ownConnection: false });
    own.answerWith(json(200, { object: 'list', data: [{ id: 'model-of-mine', object: 'model' }] }));
    const made = await ask(person, connect, { input: { provider: 'openai', apiKey: 'k', baseUrl: own.url } });
    await ask(person, test, { id: made.data.connectProvider.id });
    expect(await of(person)).toEqual({ provider: 'openai', ownConnection: true, modelCount: 1, targets: [] });
    expect(await of(other)).toMatchObject({ ownConnection: false });
    own.answerWith(refusal(500, 'broken'));
    const { secret } = (await ask(person, 'mutation { createApiKey(input: { name: "k" }) { secret } }')).data
      .createApiKey;
    for (let tries = 0; tries < 3; tries += 1)
      await fetch(`${account.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'openai/model-of-mine', messages: [{ role: 'user', content: 'a' }] }),
      });
    const { targets } = await of(person);
    expect(targets).toMatchObject([{ model: 'openai/model-of-mine', breaker: 'OPEN' }]);
    expect(targets[0].availableInMs).toBeGreaterThan(0);
    expect(JSON.stringify(await of(other))).not.toContain('model-of-mine');
  });

  describe('with a failed test', () => {
    const tested = `mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { ${fields} active } }`;
    const chat = (caller: Caller) =>
      fetch(`${account.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...caller, 'content-type': 'application/json', 'x-sluice-session': '1' },
        body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] }),
      });

    it('are not saved, and the error contains the provider’s status and message without the key', async () => {
      const caller = await signUp();
      own.answerWith(refusal(401, `Incorrect API key provided: ${canary}.`));
      const input = { provider: 'openai', apiKey: canary, baseUrl: own.url, test: true };
      const { code, message } = await ask(caller, tested, { input });
      expect(code).toBe('connection_test_failed');
      expect(message).toContain('with status 401. Provider message: Incorrect API key provided: [removed]');
      expect((await ask(caller, list)).data.providerConnections).toEqual([]);
    });

    it('are saved as inactive on request, and the operator’s connection is used until a test succeeds', async () => {
      const caller = await signUp();
      own.answerWith(refusal(401, 'No.'));
      const input = { provider: 'openai', apiKey: canary, baseUrl: own.url, test: true, saveAnyway: true };
      const { connectProvider } = (await ask(caller, tested, { input })).data;
      expect(connectProvider).toMatchObject({ active: false, lastTest: { succeeded: false } });
      const response = await chat(caller);
      await response.text();
      expect(response.status).toBe(200);
      expect(operators.requests.at(-1)?.headers.authorization).toBe(`Bearer ${OPERATORS_KEY}`);
      own.answerWith(json(200, { object: 'list', data: [{ id: 'gpt-4.1-mini', object: 'model' }] }));
      const again = `mutation ($id: ID!) { testConnection(id: $id) { active lastTest { succeeded } } }`;
      expect((await ask(caller, again, { id: connectProvider.id })).data.testConnection).toEqual({
        active: true,
        lastTest: { succeeded: true },
      });
      own.answerWith(completion());
      const byOwn = await chat(caller);
      await byOwn.text();
      expect(own.requests.at(-1)?.headers.authorization).toBe(`Bearer ${canary}`);
    });

    it('keep their credentials when new ones fail', async () => {
      const caller = await signUp();
      own.answerWith(json(200, { object: 'list', data: [] }));
      const input = { provider: 'openai', apiKey: 'sk-the-first-one-0123456789', baseUrl: own.url, test: true };
      const { connectProvider } = (await ask(caller, tested, { input })).data;
      own.answerWith(refusal(403, 'No.'));
      const changed = await ask(caller, update, { input: { id: connectProvider.id, apiKey: canary, test: true } });
      expect(changed.code).toBe('connection_test_failed');
      expect((await ask(caller, list)).data.providerConnections).toMatchObject([
        { credentialHint: connectProvider.credentialHint },
      ]);
    });
  });
});

/** The text of an answer; none repeats credentials, whatever was sent. */
async function withoutCredentials(response: Response): Promise<string> {
  const text = await response.text();
  for (const secret of [canary, OPERATORS_KEY]) expect(text).not.toContain(secret);
  return text;
}

/** A server inside, which nobody may reach. */
async function listen(): Promise<{ port: number; seen: () => number; close: () => void }> {
  let seen = 0;
  const server = createServer((socket) => {
    seen++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    seen: () => seen,
    close: () => void server.close(),
  };
}
