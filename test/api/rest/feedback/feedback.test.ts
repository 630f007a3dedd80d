import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let other: TestAccount;

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

beforeAll(async () => {
  [account, other] = await Promise.all([newAccount(), newAccount()]);
});
afterAll(() => Promise.all([account.dispose(), other.dispose()]));

async function ask(query: string, variables: object = {}, of = account, key = of.apiKey) {
  const response = await fetch(`${of.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

async function chat(session: string | null = null, of = account, key = of.apiKey): Promise<string> {
  const response = await fetch(`${of.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(session !== null && { 'x-sluice-session-id': session }),
    },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return response.headers.get('x-request-id') ?? '';
}

async function give(body: object, of = account, key = of.apiKey): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${of.url}/v1/feedback`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** A key of the account that may only run requests. */
async function inferenceKey(): Promise<string> {
  const { data } = await ask('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }', {
    input: { name: 'app', scopes: ['INFERENCE'] },
  });
  return data.createApiKey.secret;
}

describe('POST /v1/feedback', () => {
  it('stores feedback on a request that has just ended', async () => {
    const request_id = await chat();
    const { status, body } = await give({ request_id, value: true, comment: 'Good.' });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^fb_[0-9a-f]{32}$/),
        object: 'feedback',
        request_id,
        session_id: null,
        name: 'feedback',
        value: true,
        comment: 'Good.',
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
    ]);
  });

  it('replaces that of the same name by the same key, and keeps others', async () => {
    const request_id = await chat();
    const first = await give({ request_id, name: 'score', value: 2, comment: 'Meh.' });
    const again = await give({ request_id, name: 'score', value: 4.5 });
    expect(again.body).toEqual({ ...Object(first.body), value: 4.5, comment: null, updated_at: expect.any(Number) });
    await give({ request_id, name: 'topic', value: 'billing' });
    const { data } = await ask(
      'query ($id: String!) { usageLogs(filter: { requestId: $id }) { nodes { feedback { name boolean number category requestId } } } }',
      { id: request_id },
    );
    expect(data.usageLogs.nodes[0].feedback).toEqual([
      { name: 'score', boolean: null, number: 4.5, category: null, requestId: request_id },
      { name: 'topic', boolean: null, number: null, category: 'billing', requestId: request_id },
    ]);
  });

  it('stores feedback on a session as a whole', async () => {
    const session_id = randomUUID();
    await chat(session_id);
    expect(await give({ session_id, value: false })).toMatchObject({ status: 200, body: { session_id, value: false } });
    const { data } = await ask('query ($id: ID!) { session(id: $id) { feedback { boolean sessionId } } }', {
      id: session_id,
    });
    expect(data.session.feedback).toEqual([{ boolean: false, sessionId: session_id }]);
  });

  it('returns 404 for requests and sessions of other accounts, and for those that do not exist', async () => {
    const session_id = randomUUID();
    const request_id = await chat(session_id, other);
    expect(await give({ request_id, value: true }, other)).toMatchObject({ status: 200 });
    for (const target of [
      { request_id },
      { session_id },
      { request_id: 'req_0198f1c0a1b27c3d8e4f5a6b7c8d9e0f' },
      { request_id: 'gone' },
    ])
      expect(await give({ ...target, value: true })).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
  });

  it('is allowed to a key for its own requests, and with `manage` for all of the account', async () => {
    const key = await inferenceKey();
    const [own, foreign] = [await chat(null, account, key), await chat()];
    expect(await give({ request_id: own, value: 1 }, account, key)).toMatchObject({ status: 200 });
    expect(await give({ request_id: foreign, value: 1 }, account, key)).toMatchObject({ status: 404 });
    expect(await give({ request_id: own, value: 2 })).toMatchObject({ status: 200, body: { value: 2 } });
  });

  it.each([
    [{ value: true }, 'missing_required_parameter', 'request_id'],
    [{ session_id: 's' }, 'missing_required_parameter', 'value'],
    [{ session_id: 's', request_id: 'r', value: 1 }, 'invalid_value', 'session_id'],
    [{ session_id: 's', value: [] }, 'invalid_value', 'value'],
    [{ session_id: 's', value: 'x'.repeat(257) }, 'invalid_value', 'value'],
    [{ session_id: 's', value: 'a\0' }, 'invalid_value', 'value'],
    [{ session_id: 's', value: 1, name: 'two words' }, 'invalid_value', 'name'],
    [{ session_id: 's', value: 1, comment: 'é'.repeat(2_049) }, 'invalid_value', 'comment'],
  ])('returns 400 for %j', async (body, code, param) => {
    expect(await give(body)).toMatchObject({ status: 400, body: { error: { code, param } } });
  });

  it('refuses a comment, but not feedback, for an account with zero retention', async () => {
    const own = await newAccount();
    const request_id = await chat(null, own);
    const update = 'mutation { updateAccount(input: { zeroRetention: true }) { id } }';
    const changed = await fetch(`${own.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: own.cookie },
      body: JSON.stringify({ query: update }),
    });
    expect(await changed.json()).toMatchObject({ data: { updateAccount: { id: expect.any(String) } } });
    expect(await give({ request_id, value: true, comment: 'Good.' }, own)).toMatchObject({
      status: 403,
      body: { error: { code: 'zero_retention', param: 'comment' } },
    });
    expect(await give({ request_id, value: true }, own)).toMatchObject({ status: 200 });
    await own.dispose();
  });
});

describe('feedback in GraphQL', () => {
  const submit = 'mutation ($input: FeedbackInput!) { submitFeedback(input: $input) { id number } }';

  it('is given and deleted, by its own account only', async () => {
    const requestId = await chat();
    const { data } = await ask(submit, { input: { requestId, number: 3 } });
    const { id } = data.submitFeedback;
    const remove = 'mutation ($id: ID!) { deleteFeedback(id: $id) }';
    expect((await ask(submit, { input: { requestId, number: 3 } }, other)).code).toBe('not_found');
    expect((await ask(remove, { id }, other)).code).toBe('not_found');
    expect((await ask('query ($id: ID!) { node(id: $id) { id } }', { id }, other)).data).toEqual({ node: null });
    expect((await ask('query ($id: ID!) { node(id: $id) { id } }', { id })).data).toEqual({ node: { id } });
    expect((await ask(remove, { id })).data).toEqual({ deleteFeedback: id });
    expect((await ask(remove, { id })).code).toBe('not_found');
  });

  it('requires one value and one target', async () => {
    const requestId = await chat();
    for (const input of [
      { requestId, number: 1, boolean: true },
      { requestId, sessionId: 's', number: 1 },
      { number: 1 },
    ])
      expect((await ask(submit, { input })).code).toBe('bad_user_input');
    expect((await ask(submit, { input: { requestId } })).code).toBe('missing_required_parameter');
  });

  it('filters the usage log and its totals', async () => {
    const name = `f-${randomUUID()}`;
    const [bad, good, none] = [await chat(), await chat(), await chat()];
    await give({ request_id: bad, name, value: false });
    await give({ request_id: good, name, value: true });
    await give({ request_id: none, name: `${name}-x`, value: 'off' });
    const found = async (filter: object): Promise<string[]> => {
      const query = 'query ($filter: UsageLogFilter!) { usageLogs(filter: $filter) { nodes { requestId } } }';
      const { data } = await ask(query, { filter: { feedback: filter } });
      return data.usageLogs.nodes.map(({ requestId }: { requestId: string }) => requestId);
    };
    expect(await found({ name })).toEqual([good, bad]);
    expect(await found({ name, below: 0.5 })).toEqual([bad]);
    expect(await found({ name, above: 0.5 })).toEqual([good]);
    expect(await found({ name, equals: 1 })).toEqual([good]);
    expect(await found({ name: `${name}-x`, category: 'off' })).toEqual([none]);
    expect(await found({})).toEqual(expect.arrayContaining([bad, good, none]));
    const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 3_600_000) };
    const { data } = await ask(
      'query ($range: UsageRange!, $name: String!) { usage(range: $range, filter: { feedback: { name: $name } }) { total { requests } } }',
      { range, name },
    );
    expect(data.usage.total.requests).toBe(2);
  });

  it('is averaged by model, route and key', async () => {
    const name = `s-${randomUUID()}`;
    for (const value of [1, 2, 'unclear']) await give({ request_id: await chat(), name, value });
    const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 3_600_000) };
    const summary = async (of: TestAccount): Promise<unknown> =>
      (
        await ask(
          `query ($range: UsageRange!, $name: String!) {
            feedbackSummary(range: $range, name: $name, groupBy: [MODEL, ROUTE, KEY]) { name model route apiKey { id } count scored mean }
          }`,
          { range, name },
          of,
        )
      ).data.feedbackSummary;
    expect(await summary(account)).toEqual([
      {
        name,
        model: 'sandbox/chat',
        route: 'sandbox/chat',
        apiKey: { id: expect.any(String) },
        count: 3,
        scored: 2,
        mean: 1.5,
      },
    ]);
    expect(await summary(other)).toEqual([]);
  });

  it('is averaged over the requests that a filter of usage matches', async () => {
    const name = `f-${randomUUID()}`;
    const [one, two] = [await chat(), await chat()];
    await give({ request_id: one, name, value: 1 });
    await give({ request_id: two, name, value: 5 });
    const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 3_600_000) };
    const means = async (filter: object): Promise<unknown> =>
      (
        await ask(
          `query ($range: UsageRange!, $name: String!, $filter: UsageFilter) {
            feedbackSummary(range: $range, name: $name, filter: $filter) { count mean }
          }`,
          { range, name, filter },
        )
      ).data.feedbackSummary;
    const both = [{ count: 2, mean: 3 }];
    for (const filter of [{}, { model: 'sandbox/chat', isError: false }, { feedback: { name } }])
      expect(await means(filter)).toEqual(both);
    expect(await means({ requestId: one })).toEqual([{ count: 1, mean: 1 }]);
    expect(await means({ feedback: { name, above: 2 } })).toEqual([{ count: 1, mean: 5 }]);
    for (const filter of [{ model: 'openai/other' }, { isError: true }, { tagName: 'none' }, { sessionId: 'none' }])
      expect(await means(filter)).toEqual([]);
  });
});
