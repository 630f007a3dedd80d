import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SluiceError } from '../../../src/errors/index.ts';
import { setFailedTarget, logFailure } from '../../../src/gateway/request/log-failure.ts';
import type { Target } from '../../../src/gateway/routing/target.ts';
import { HealthBook } from '../../../src/gateway/routing/health/health-book.ts';
import { openConnection } from '../../../src/providers/registry.ts';
import { refusalError, reportedWithin } from '../../../src/providers/shared/http/upstream-error.ts';
import { testFailed } from '../../../src/services/connections/test-outcome.ts';
import { json, refusal, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

describe('the record of an attempt', () => {
  let provider: FakeProvider;
  let gateway: TestGateway;

  beforeAll(async () => {
    provider = await startFakeProvider();
    gateway = await startGateway({
      providers: { openai: provider.url, deepseek: provider.url, mistral: 'http://127.0.0.1:9/v1' },
      config: 'routing: { retries: 0 }\nroutes: { both: { targets: [deepseek/deepseek-chat, mistral/mistral-small] } }',
    });
  });

  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  const ask = (model: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });

  it.each([
    [500, 502],
    [401, 502],
    [429, 429],
    [404, 404],
  ])('contains the provider’s status %i where the client gets %i', async (sent, answered) => {
    provider.answerWith(refusal(sent, 'No.'));
    const before = gateway.settled().length;
    expect((await ask('openai/gpt-4.1-mini')).status).toBe(answered);
    const record = (await gateway.settledCount(before + 1)).at(-1);
    expect(record).toMatchObject({ http_status: answered, attempts: [{ provider: 'openai', status: sent }] });
  });

  const failWith = (status: number, error: object) => async () => {
    provider.answerWith(json(status, { error }));
    const before = gateway.settled().length;
    await ask('openai/gpt-4.1-mini');
    return (await gateway.settledCount(before + 1)).at(-1)?.attempts[0];
  };

  it('contains the provider’s type, code and message without its key', async () => {
    const canary = 'sk-canary-0123456789abcdef';
    const message = `Incorrect API key provided: provider-key. ${canary} and Bearer ${'q'.repeat(12)} are none either.`;
    const attempt = await failWith(401, { message, type: 'invalid_request_error', code: 'invalid_api_key' })();
    expect(attempt).toMatchObject({
      status: 401,
      error: 'provider_credentials',
      error_type: 'invalid_request_error',
      error_code: 'invalid_api_key',
      message: expect.stringMatching(/^Incorrect API key provided: \[removed\].*are none either\.$/),
    });
    const stored = JSON.stringify(gateway.settled());
    for (const value of ['provider-key', canary, 'qqqq']) expect(stored).not.toContain(value);
  });

  it('contains at most 500 characters of a message', async () => {
    const attempt = await failWith(500, { message: 'far too long, '.repeat(5_000), type: 't'.repeat(30) })();
    expect(attempt?.message).toHaveLength(500);
    expect(attempt).toMatchObject({ error: 'provider_error', error_type: 't'.repeat(30), error_code: null });
  });

  it('contains every attempt of a route under the name of the route', async () => {
    provider.answerWith(json(503, { error: { message: 'Overloaded', type: 'overloaded_error' } }));
    const before = gateway.settled().length;
    expect((await ask('both')).status).toBe(502);
    const record = (await gateway.settledCount(before + 1)).at(-1);
    expect(record).toMatchObject({
      requested_model: 'both',
      attempts: [
        { provider: 'deepseek', status: 503, error_type: 'overloaded_error', message: 'Overloaded' },
        {
          provider: 'mistral',
          status: null,
          message: expect.stringContaining('could not be reached: the connection was refused.'),
        },
      ],
    });
  });

  it('contains no message under zero retention', async () => {
    const retaining = await startGateway({ providers: { openai: provider.url }, key: { zeroRetention: true } });
    try {
      provider.answerWith(json(400, { error: { message: 'Bad value: my prompt', type: 'invalid_request_error' } }));
      await fetch(`${retaining.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'my prompt' }] }),
      });
      const [record] = await retaining.settledCount(1);
      expect(record?.attempts).toMatchObject([{ status: 400, error_type: 'invalid_request_error', message: null }]);
    } finally {
      await retaining.close();
    }
  });

  it('contains no status where the provider could not be reached', async () => {
    const before = gateway.settled().length;
    expect((await ask('mistral/mistral-small')).status).toBe(502);
    const record = (await gateway.settledCount(before + 1)).at(-1);
    expect(record?.attempts).toMatchObject([{ status: null, error: 'provider_unreachable' }]);
  });
});

describe('a connection’s test that failed', () => {
  it.each([500, 503, 404])('reports the provider’s status %i', (status) => {
    expect(testFailed(refusalError('openai', status, {}, null))).toEqual({
      succeeded: false,
      message: `The provider returned status ${status}.`,
    });
  });

  it.each([401, 403])('reports credentials that were rejected with %i', (status) => {
    const { message } = testFailed(refusalError('openai', status, {}, null));
    expect(message).toBe(`The provider rejected the credentials with status ${status}.`);
  });
});

describe('the log of a failed attempt', () => {
  const connection = openConnection('openai', {
    id: 'openai',
    apiKey: 'sk-provider-key',
    baseUrl: 'http://127.0.0.1:9/v1',
    connectTimeoutMs: 60_000,
    options: {},
  });
  afterAll(() => connection.close());

  const target: Target = {
    connection,
    model: 'openai/gpt-x',
    upstreamModel: 'gpt-x',
    maxOutputTokens: null,
    isUnpriced: false,
    rates: null,
    ratesByTier: null,
    servedAs: () => null,
    health: new HealthBook().of('openai', 'gpt-x'),
    modelJson: '',
    usageMembers: '',
    attemptMembers: '',
  };

  function logged(error: SluiceError, at: Target | null = target): object[] {
    const lines: object[] = [];
    const log = { error: (fields: object) => lines.push(fields), warn: (fields: object) => lines.push(fields) };
    if (at !== null) setFailedTarget(error, at);
    logFailure(log, 'req_1', error);
    return lines;
  }

  it('contains the provider, the model and the status, but not the provider’s message', () => {
    const reported = { message: 'You sent sk-provider-key', type: 'server_error', code: 'oops', param: null };
    const lines = logged(refusalError('openai', 500, {}, reported));
    expect(lines).toEqual([
      {
        code: 'provider_error',
        provider: 'openai',
        model: 'gpt-x',
        upstreamStatus: 500,
        detail: 'status 500',
        requestId: 'req_1',
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('sk-provider-key');
  });

  it('reports a refused connection in one line, without a stack', async () => {
    const failure = await connection.listModels().catch((error: unknown) => error);
    const lines = failure instanceof SluiceError ? logged(failure) : [];
    expect(lines).toMatchObject([
      { code: 'provider_unreachable', provider: 'openai', reason: 'connect ECONNREFUSED 127.0.0.1:9' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('reports a parser’s error without its message, which quotes the response', () => {
    const cause = new SyntaxError('Unexpected token s, "sk-provider-key" is not valid JSON');
    const lines = logged(new SluiceError('provider_invalid_response', { values: { provider: 'openai' }, cause }));
    expect(lines).toMatchObject([{ reason: 'SyntaxError' }]);
    expect(JSON.stringify(lines)).not.toContain('sk-provider-key');
  });

  it('reports an error within a response without a status', () => {
    const lines = logged(reportedWithin('openai', { message: 'Broken', type: null, code: null }));
    expect(lines).toMatchObject([{ code: 'provider_error', provider: 'openai' }]);
    expect(lines[0]).not.toHaveProperty('upstreamStatus');
  });

  it('omits client errors', () => {
    const reported = { message: 'Bad temperature', type: null, code: null, param: 'temperature' };
    expect(logged(refusalError('openai', 400, {}, reported))).toEqual([]);
  });

  it('contains the stack of internal errors', () => {
    const err = new TypeError('ours');
    expect(logged(new SluiceError('internal_error', { cause: err }), null)).toMatchObject([{ err }]);
  });
});
