import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { json, type FakeProvider } from '../../harness/fake-provider.ts';
import { operator, OPERATORS_KEY } from '../../harness/operator.ts';
import type { TestAccount } from '../../harness/shared-server.ts';

const answerForm = z.object({ data: z.record(z.string(), z.any()).nullish(), errors: z.array(z.unknown()).optional() });

describe('the usage log of failed requests', () => {
  let account: TestAccount;
  let provider: FakeProvider;

  beforeAll(async () => {
    const operated = await operator();
    ({ provider } = operated);
    account = await operated.newAccount();
  });
  afterAll(() => account.dispose());

  function post(path: string, body: object, key = account.apiKey): Promise<Response> {
    return fetch(`${account.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  const chat = (model: string, key?: string): Promise<Response> =>
    post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] }, key);

  async function ask(query: string, variables: object = {}): Promise<NonNullable<z.infer<typeof answerForm>['data']>> {
    const response = await post('/graphql', { query, variables });
    const { data, errors } = answerForm.parse(await response.json());
    if (!data || errors) throw new Error(JSON.stringify(errors));
    return data;
  }

  /** Of the log, as soon as there are any: they are stored a little after the answer. */
  function rows(query: string, filter: object, count = 1): Promise<unknown[]> {
    return vi.waitFor(
      async () => {
        const { nodes } = (await ask(query, { filter }))['usageLogs'];
        expect(nodes.length).toBeGreaterThanOrEqual(count);
        return nodes;
      },
      { timeout: 120_000, interval: 500 },
    );
  }

  it('contains the provider’s error message without the secret', async () => {
    const message = `Incorrect API key provided: ${OPERATORS_KEY}. Ask the owner.`;
    provider.answerWith(json(401, { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }));
    const response = await chat('openai/priced');
    expect(response.status).toBe(502);
    const requestId = response.headers.get('x-request-id');
    const query = `query ($filter: UsageLogFilter) { usageLogs(filter: $filter) { nodes {
      httpStatus requestedModel errorCode attempts { status error errorType errorCode errorMessage } } } }`;
    expect(await rows(query, { requestId })).toEqual([
      {
        httpStatus: 502,
        requestedModel: 'openai/priced',
        errorCode: 'provider_credentials',
        attempts: [
          {
            status: 401,
            error: 'provider_credentials',
            errorType: 'invalid_request_error',
            errorCode: 'invalid_api_key',
            errorMessage: 'Incorrect API key provided: [removed]. Ask the owner.',
          },
        ],
      },
    ]);
  });

  it('says how the targets of a route were selected, and why one was skipped', async () => {
    const save = 'mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { name } }';
    const targets = [{ model: 'openai/soon-limited' }, { model: 'sandbox/chat' }];
    await ask(save, { input: { name: 'pair', targets, saveAnyway: true } });
    const error = { message: 'Too many requests', type: 'requests', code: 'rate_limit_exceeded' };
    provider.answerWith(json(429, { error }, { 'retry-after': '60' }));
    const query = `query ($filter: UsageLogFilter) { usageLogs(filter: $filter) { nodes {
      model attempts { model } routing { orderedBy skipped { provider model reason } } } } }`;
    const routed = async (): Promise<string | null> => {
      const response = await chat('pair');
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
      return response.headers.get('x-request-id');
    };
    // Both before the log is read, which may take longer than the first target is avoided.
    const ids = [await routed(), await routed()];
    const [first, second] = await Promise.all(ids.map(async (requestId) => (await rows(query, { requestId }))[0]));
    expect(first).toEqual({
      model: 'sandbox/chat',
      attempts: [{ model: 'soon-limited' }, { model: 'chat' }],
      routing: { orderedBy: 'LISTED', skipped: [] },
    });
    expect(second).toEqual({
      model: 'sandbox/chat',
      attempts: [{ model: 'chat' }],
      routing: {
        orderedBy: 'LISTED',
        skipped: [{ provider: 'openai', model: 'openai/soon-limited', reason: 'COOLING_DOWN' }],
      },
    });
    const direct = await chat('sandbox/chat');
    expect(await rows(query, { requestId: direct.headers.get('x-request-id') })).toMatchObject([{ routing: null }]);
  });

  it('counts rejected requests and lists them by status, including those of a revoked key', async () => {
    const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
    const { createApiKey: made } = await ask(create, { input: { name: 'Short-lived' } });
    const filter = { status: 'REJECTED', apiKeyId: made.apiKey.id };
    const query = `query ($filter: UsageLogFilter) { usageLogs(filter: $filter) { nodes {
      httpStatus errorCode requestedModel requests apiKey { name } } } }`;
    expect((await chat('gpt-none', made.secret)).status).toBe(404);
    await ask('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: made.apiKey.id });
    expect((await chat('sandbox/chat', made.secret)).status).toBe(401);
    expect(await rows(query, filter, 2)).toMatchObject([
      { httpStatus: 401, errorCode: 'invalid_api_key', requestedModel: '', requests: 1 },
      { httpStatus: 404, errorCode: 'model_not_found', requestedModel: 'gpt-none', apiKey: { name: 'Short-lived' } },
    ]);
    const usage =
      'query ($range: UsageRange!, $filter: UsageFilter) { usage(range: $range, filter: $filter) { total { requests errors latency { mean } } } }';
    const now = Date.now();
    const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 60_000).toISOString() };
    const { usage: report } = await ask(usage, { range, filter: { apiKeyId: made.apiKey.id } });
    expect(report.total).toEqual({ requests: 2, errors: 2, latency: null });
  });
});
