import { request } from 'node:http';
import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { newAccount, newEmail, signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';
import { CompletionDocument, type CompletionSubscription } from './generated/graphql.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

interface Caller {
  readonly headers: Readonly<Record<string, string>>;
}

async function ask(caller: Caller, query: string, variables: object = {}) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...caller.headers },
    body: JSON.stringify({ query, variables }),
  });
  const answer = answerSchema.parse(await response.json());
  return {
    data: answer.data ?? {},
    code: answer.errors?.[0]?.extensions.code ?? null,
    cookie: response.headers.getSetCookie()[0] ?? '',
  };
}

const nobody: Caller = { headers: {} };
const owner = (): Caller => ({ headers: { authorization: `Bearer ${account.apiKey}` } });
const withKey = (secret: string): Caller => ({ headers: { authorization: `Bearer ${secret}` } });

/** A new user with an account of their own. */
async function signUp(): Promise<Caller & { email: string }> {
  const { email, cookie } = await signUpAt(account.url);
  return { email, headers: { cookie } };
}

const createKey = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id name } } }';

function chat(secret: string, body: object = {}): Promise<Response> {
  return fetch(`${account.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });
}

describe('GraphQL over HTTP', () => {
  it('masks unexpected errors and describes errors in the document', async () => {
    expect((await ask(owner(), '{ nothing }')).code).toBe('graphql_invalid');
    expect((await ask(nobody, '{ viewer { role } }')).code).toBe('unauthenticated');
    expect((await ask(withKey('sk-sluice-wrong'), '{ viewer { role } }')).code).toBe('invalid_api_key');
  });
});

describe('an API key for GraphQL', () => {
  const query = JSON.stringify({ query: '{ account { id } }' });
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: query,
    });

  it('is read from x-api-key, even with another authorization scheme', async () => {
    const response = await post({ 'x-api-key': account.apiKey, authorization: 'Basic eDp5' });
    expect(await response.json()).toMatchObject({ data: { account: { id: expect.any(String) } } });
  });

  it('returns 400 when two different keys are sent', async () => {
    const response = await post({ ...owner().headers, 'api-key': 'sk-sluice-other' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'conflicting_api_keys' } }] });
  });

  it('names the page where keys are created when it is invalid', async () => {
    const refused = await post({ authorization: 'Bearer sk-sluice-wrong' });
    expect(await refused.text()).toContain(`You can obtain an API key from ${account.url}/keys.`);
  });
});

describe('an invalid request body', () => {
  const json = { 'content-type': 'application/json' };

  it.each([
    ['truncated', '{', json, 400, 'invalid_json'],
    ['no object', '"x"', json, 400, 'invalid_json'],
    ['too long', `{"query":"${' '.repeat(1_100_000)}"}`, json, 413, 'request_too_large'],
    [
      'of a foreign charset',
      '{}',
      { 'content-type': 'application/json; charset=klingon' },
      415,
      'unsupported_content_type',
    ],
    ['packed, so it says', '{}', { ...json, 'content-encoding': 'gzip' }, 400, 'invalid_json'],
    ['a subscription', '{"query":"subscription { liveCompletions { __typename } }"}', json, 400, 'graphql_invalid'],
  ])('that is %s is refused', async (_what, body, headers, status, code) => {
    const response = await fetch(`${account.url}/graphql`, { method: 'POST', headers, body });
    expect([response.status, answerSchema.parse(await response.json()).errors?.[0]?.extensions.code]).toEqual([
      status,
      code,
    ]);
  });
});

describe('a user', () => {
  it('signs up, creates a working key, revokes it and signs out', async () => {
    const input = { email: newEmail(), password: 'correct horse battery', name: 'Person' };
    const signedUp = await ask(nobody, 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }', {
      input,
    });
    expect(signedUp.data.signUp).toEqual({ __typename: 'Session' });
    expect(signedUp.cookie).toMatch(/^sluice_session=[\w-]{43};.*HttpOnly.*SameSite=Lax/i);
    const person = { headers: { cookie: signedUp.cookie.split(';')[0] ?? '' } };
    const made = (await ask(person, createKey, { input: { name: 'mine' } })).data.createApiKey;
    expect((await chat(made.secret)).status).toBe(200);
    const listed = await ask(person, '{ apiKeys { totalCount nodes { id name hint } } }');
    expect(listed.data.apiKeys).toMatchObject({ totalCount: 1, nodes: [{ name: 'mine' }] });
    expect(JSON.stringify(listed)).not.toContain(made.secret);
    await ask(person, 'mutation ($id: ID!) { revokeApiKey(id: $id) { revokedAt } }', { id: made.apiKey.id });
    expect((await chat(made.secret)).status).toBe(401);
    expect((await ask(person, 'mutation { signOut }')).data.signOut).toBe(true);
    expect((await ask(person, '{ viewer { role } }')).code).toBe('unauthenticated');
  });

  it('receives sign-in failures as data', async () => {
    const { email } = await signUp();
    const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { ... on SignInFailure { code } } }';
    expect((await ask(nobody, signIn, { input: { email, password: 'wrong' } })).data.signIn).toEqual({
      code: 'invalid_credentials',
    });
    expect((await ask(nobody, signIn, { input: { email: newEmail(), password: 'wrong' } })).data.signIn).toEqual({
      code: 'invalid_credentials',
    });
    const taken = await ask(
      nobody,
      'mutation ($input: SignUpInput!) { signUp(input: $input) { ... on SignUpFailure { code } } }',
      { input: { email, password: 'correct horse battery', name: 'x' } },
    );
    expect(taken.data.signUp).toEqual({ code: 'email_taken' });
  });

  it('cannot read data of another account', async () => {
    const [one, other] = [await signUp(), await signUp()];
    const made = (await ask(one, createKey, { input: { name: 'theirs' } })).data.createApiKey;
    const requestId = (await chat(made.secret)).headers.get('x-request-id');
    const account = (await ask(one, '{ account { id } }')).data.account.id;
    expect(
      (await ask(other, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: made.apiKey.id })).code,
    ).toBe('not_found');
    expect(
      (
        await ask(other, 'mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id } }', {
          input: { id: made.apiKey.id, name: 'mine now' },
        })
      ).code,
    ).toBe('not_found');
    expect((await ask({ headers: { ...other.headers, 'x-sluice-account': account } }, '{ account { id } }')).code).toBe(
      'not_found',
    );
    expect((await ask(other, '{ apiKeys { totalCount } }')).data.apiKeys.totalCount).toBe(0);
    expect(
      (
        await ask(other, 'query ($filter: UsageLogFilter) { usageLogs(filter: $filter) { nodes { id } } }', {
          filter: { requestId },
        })
      ).data.usageLogs.nodes,
    ).toEqual([]);
    expect((await chat(made.secret)).status).toBe(200);
  });
});

describe('API keys', () => {
  it('can access only what their scopes permit', async () => {
    const person = await signUp();
    const { secret } = (await ask(person, createKey, { input: { name: 'inference only' } })).data.createApiKey;
    expect((await ask(withKey(secret), '{ usageLogs { nodes { id } } }')).code).toBe('insufficient_scope');
    expect((await ask(withKey(secret), createKey, { input: { name: 'more' } })).code).toBe('insufficient_scope');
    const reader = (await ask(person, createKey, { input: { name: 'reader', scopes: ['READ'] } })).data.createApiKey;
    expect((await ask(withKey(reader.secret), '{ usageLogs { nodes { id } } }')).code).toBeNull();
    expect((await chat(reader.secret)).status).toBe(403);
  });

  it.each([
    { name: '' },
    { name: 'x', scopes: [] },
    { name: 'x', limits: { concurrency: 0 } },
    { name: 'x', limits: { perCapability: [{ capability: 'thought', concurrency: 1 }] } },
    { name: 'x', expiresAt: '2020-01-01T00:00:00Z' },
  ])('are not created from %j', async (input) => {
    expect((await ask(owner(), createKey, { input })).code).toBe('bad_user_input');
  });
});

describe('the preview of a route', () => {
  it('returns the targets of a request with reasons', async () => {
    const query =
      '{ previewRoute(model: "sandbox/chat") { name order sticky parameters retries steps { model provider share breaker availableInMs estimatedCost { amount } reason } larger } }';
    expect((await ask(owner(), query)).data.previewRoute).toEqual({
      name: 'sandbox/chat',
      order: 'LISTED',
      sticky: false,
      parameters: 'DROP',
      retries: 2,
      steps: [
        {
          model: 'sandbox/chat',
          provider: 'sandbox',
          share: 1,
          breaker: 'CLOSED',
          availableInMs: 0,
          estimatedCost: { amount: '0' },
          reason: 'the only target; retried up to 2 times',
        },
      ],
      larger: null,
    });
  });

  it('is null for an unknown name and rejects invalid input', async () => {
    expect((await ask(owner(), '{ previewRoute(model: "nowhere/x") { name } }')).data.previewRoute).toBeNull();
    const nonsense = '{ previewRoute(model: "sandbox/chat", request: { inputTokens: -1 }) { name } }';
    expect((await ask(owner(), nonsense)).code).toBe('bad_user_input');
  });
});

describe('the usage log', () => {
  it('is paginated by cursor and explains costs', async () => {
    const person = await signUp();
    const { secret } = (await ask(person, createKey, { input: { name: 'k' } })).data.createApiKey;
    const ids: (string | null)[] = [];
    for (let request = 0; request < 3; request++) ids.push((await chat(secret)).headers.get('x-request-id'));
    const page =
      'query ($after: Cursor) { usageLogs(first: 2, after: $after) { nodes { id requestId apiKey { name } explanation { label } } pageInfo { hasNextPage endCursor } } }';
    const first = await vi.waitUntil(async () => {
      const answer = await ask(person, page);
      return answer.data.usageLogs.pageInfo.hasNextPage && answer;
    }, 120_000);
    const second = await ask(person, page, { after: first.data.usageLogs.pageInfo.endCursor });
    const found = [...first.data.usageLogs.nodes, ...second.data.usageLogs.nodes];
    expect(found.map(({ requestId }) => requestId)).toEqual(ids.toReversed());
    expect(found[0]).toMatchObject({ apiKey: { name: 'k' }, explanation: [] });
    const one = await ask(person, 'query ($id: ID!) { usageLog(id: $id) { requestId } }', { id: found[0].id });
    expect(one.data.usageLog.requestId).toBe(ids[2]);
    expect((await ask(person, page, { after: 'nonsense' })).code).toBe('bad_user_input');
  });
});

describe('WebSocket', () => {
  it('rejects a sign-in, which requires cookies, and stays open', async () => {
    const client = createClient({
      url: `${account.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${account.apiKey}` },
    });
    const query =
      'mutation { signIn(input: { email: "nobody@example.com", password: "wrong password" }) { __typename } }';
    const answers = [];
    for await (const answer of client.iterate({ query })) answers.push(answer);
    await client.dispose();
    expect(answers[0]?.errors?.[0]?.extensions?.code).toBe('bad_user_input');
    expect((await fetch(`${account.url}/healthz`)).status).toBe(200);
  });

  it.each([
    ['/elsewhere', 404],
    ['//', 404],
    ['/v1/responses', 401],
    ['/v1/responses?x=1', 401],
    ['/v1/responses/resp_1', 404],
    ['/graphql?x=1', 101],
  ])('is offered only at its path: %s', async (path, status) => {
    const { hostname, port } = new URL(account.url);
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      'sec-websocket-protocol': 'graphql-transport-ws',
    };
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      request({ hostname, port, path, headers })
        .on('response', (response) => resolve(response.statusCode))
        .on('upgrade', (response, socket) => {
          socket.destroy();
          resolve(response.statusCode);
        })
        .on('error', reject)
        .end();
    });
    expect(answered).toBe(status);
  });

  it.each<[string, (key: string) => ConnectOptions]>([
    ['authorization', (key) => ({ params: { authorization: `Bearer ${key}` } })],
    ['Authorization', (key) => ({ params: { Authorization: `Bearer ${key}` } })],
    ['headers.Authorization', (key) => ({ params: { headers: { Authorization: `Bearer ${key}` } } })],
    ['headers.x-api-key', (key) => ({ params: { headers: { 'x-api-key': key } } })],
    ['the upgrade’s header', (key) => ({ headers: { authorization: `Bearer ${key}` } })],
    [
      'a proxy’s scheme and the payload',
      (key) => ({ headers: { authorization: 'Basic eDp5' }, params: { authorization: `Bearer ${key}` } }),
    ],
  ])('reads the key from %s', async (_where, options) => {
    expect(await whoIs(options(account.apiKey))).toMatchObject({ data: { account: { name: expect.any(String) } } });
  });

  it('rejects two different keys', async () => {
    const params = { authorization: `Bearer ${account.apiKey}`, headers: { 'x-api-key': 'sk-sluice-other' } };
    await expect(whoIs({ params })).rejects.toMatchObject({ code: 4401, reason: 'conflicting_api_keys' });
  });

  interface ConnectOptions {
    readonly params?: Record<string, unknown>;
    readonly headers?: Record<string, string>;
  }

  /** Asks as a program does that sends headers with the upgrade. */
  async function whoIs({ params = {}, headers = {} }: ConnectOptions): Promise<unknown> {
    class WithHeaders extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { headers });
      }
    }
    const client = createClient({
      url: `${account.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WithHeaders,
      connectionParams: params,
      retryAttempts: 0,
    });
    try {
      for await (const answer of client.iterate({ query: '{ account { name } }' })) return answer;
      return null;
    } finally {
      await client.dispose();
    }
  }

  const clients: Client[] = [];

  function connect(authorization: string): Client {
    const client = createClient({
      url: `${account.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
      retryAttempts: 0,
    });
    clients.push(client);
    return client;
  }

  afterAll(() => Promise.all(clients.map((client) => client.dispose())));

  const completionQuery = CompletionDocument.toString();

  async function run(
    client: Client,
    clientRequestId: string,
    after: string | null = null,
    content = 'Hello',
  ): Promise<CompletionSubscription['completion'][]> {
    const events: CompletionSubscription['completion'][] = [];
    const variables = {
      input: { clientRequestId, model: 'sandbox/chat', messages: [{ role: 'user', content }] },
      after,
    };
    for await (const { data, errors } of client.iterate<CompletionSubscription>({
      query: completionQuery,
      variables,
    })) {
      if (errors) throw new Error(errors[0]?.message);
      if (data) events.push(data.completion);
    }
    return events;
  }

  it('runs a completion and resumes it by ID without running it again', async () => {
    const client = connect(`Bearer ${account.apiKey}`);
    const events = await run(client, 'resume-me');
    expect(events[0]?.__typename).toBe('CompletionStarted');
    expect(events.at(-1)).toMatchObject({
      __typename: 'CompletionFinished',
      finishReason: 'stop',
      cost: { amount: '0' },
    });
    const text = events.map((event) => (event.__typename === 'CompletionDelta' ? event.text : '')).join('');
    expect(text).toContain('no AI model');
    const third = events[2];
    const again = await run(
      connect(`Bearer ${account.apiKey}`),
      'resume-me',
      third?.__typename === 'CompletionDelta' ? third.cursor : null,
    );
    expect(again).toEqual(events.slice(3));
    await expect(run(client, 'resume-me', null, 'Something else')).rejects.toThrow(/a different input/);
  });

  it('streams completions of the account’s keys on /v1, and none of another account', async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    const keyOf = async (who: Caller, more: object = {}) =>
      (await ask(who, createKey, { input: { name: 'k', scopes: ['INFERENCE', 'READ'], ...more } })).data.createApiKey;
    const [loud, hushed, foreign] = [
      await keyOf(person),
      await keyOf(person, { liveContent: false }),
      await keyOf(stranger),
    ];
    const query = 'subscription { liveCompletions { requestId event { __typename } } }';
    const seen: { requestId: string; event: { __typename: string } }[] = [];
    const client = connect(`Bearer ${loud.secret}`);
    const opened = client.iterate<{ liveCompletions: (typeof seen)[number] }>({ query });
    const next = opened.next();
    // The subscription stands when its own first event comes back; until then requests are sent again.
    let first: Awaited<typeof next> | null = null;
    void next.then((value) => (first = value));
    while (first === null) await (await chat(loud.secret, { stream: true, max_tokens: 3 })).text();
    // Of the last one, the subscription may have seen no more than the end.
    await (await chat(loud.secret, { stream: true, max_tokens: 3 })).text();
    await (await chat(foreign.secret)).text();
    const foreignId = (await chat(foreign.secret)).headers.get('x-request-id');
    const hushedId = (await chat(hushed.secret, { stream: true, max_tokens: 3 })).headers.get('x-request-id');
    for await (const { data } of opened) {
      if (data) seen.push(data.liveCompletions);
      if (
        data?.liveCompletions.requestId === hushedId &&
        data.liveCompletions.event.__typename === 'CompletionFinished'
      )
        break;
    }
    expect(seen.some(({ event }) => event.__typename === 'CompletionDelta')).toBe(true);
    expect(seen.some(({ requestId }) => requestId === foreignId)).toBe(false);
    expect(seen.filter(({ requestId }) => requestId === hushedId).map(({ event }) => event.__typename)).toEqual([
      'CompletionStarted',
      'CompletionFinished',
    ]);
  });

  it('closes the sockets of a revoked key', async () => {
    const person = await signUp();
    const made = (await ask(person, createKey, { input: { name: 'k', scopes: ['INFERENCE', 'READ'] } })).data
      .createApiKey;
    const socket = new WebSocket(`${account.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const acknowledged = new Promise((resolve) => socket.once('message', resolve));
    socket.once('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${made.secret}` } })),
    );
    await acknowledged;
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await ask(person, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: made.apiKey.id });
    expect(await closed).toBe(4403);
  });

  it('records the address of a socket behind a proxy in the audit log', async () => {
    // The shared product stands behind one proxy.
    const authorization = `Bearer ${account.apiKey}`;
    const socket = new WebSocket(`${account.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' },
    });
    const done = new Promise((resolve) =>
      socket.on('message', (message: Buffer) => {
        const { type } = z.object({ type: z.string() }).parse(JSON.parse(message.toString()));
        if (type === 'connection_ack')
          socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: made } }));
        if (type === 'complete') resolve(undefined);
      }),
    );
    const made = 'mutation { createApiKey(input: { name: "by a socket", scopes: [READ] }) { secret } }';
    socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } })));
    await done;
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ query: '{ auditLog(first: 1) { nodes { action address } } }' }),
    });
    expect(await response.json()).toMatchObject({
      data: { auditLog: { nodes: [{ action: 'api_key.created', address: '203.0.113.9' }] } },
    });
    socket.close();
  });

  /** Opens a socket, says this, and waits for its end. @returns its close code */
  function closeCode(message: object): Promise<number> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${account.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      socket.once('open', () => socket.send(JSON.stringify(message)));
      socket.once('close', resolve);
      socket.on('error', () => undefined);
    });
  }

  const init = () => ({ type: 'connection_init', payload: { authorization: `Bearer ${account.apiKey}` } });

  it.each([
    [
      'a wrong key',
      () => closeCode({ type: 'connection_init', payload: { authorization: 'Bearer sk-sluice-wrong' } }),
      4401,
    ],
    ['nobody', () => closeCode({ type: 'connection_init' }), 4401],
    ['a giant frame', () => closeCode({ ...init(), padding: 'x'.repeat(1_100_000) }), 1009],
  ])('refuses %s', async (_name, code, expected) => {
    expect(await code()).toBe(expected);
  });
});
