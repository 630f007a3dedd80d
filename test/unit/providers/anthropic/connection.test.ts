import { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { SettingsError, type ConnectionSettings } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { json, startFakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { streamOf, withAnthropic } from './ask.ts';

const settings: ConnectionSettings = {
  id: 'anthropic',
  apiKey: 'key',
  baseUrl: undefined,
  connectTimeoutMs: 60_000,
  options: {},
};

const error = (type: string, message: string): unknown => ({
  type: 'error',
  error: { type, message },
  request_id: 'r',
});

const outOfMoney =
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.';

/** The error that a chat ends with. */
function failure(script: Script, stream = false): Promise<APIError> {
  return withAnthropic(script, async ({ client }) => {
    try {
      const messages = [{ role: 'user' as const, content: 'Hello' }];
      await client.chat.completions.create({ model: 'anthropic/claude-sonnet-4-5', messages, stream });
    } catch (thrown) {
      if (thrown instanceof APIError) return thrown;
      throw thrown;
    }
    throw new Error('no error came');
  });
}

describe('a refusal of Anthropic’s', () => {
  it.each([
    [400, 'invalid_request_error', 'max_tokens: 9 > 8', 400, null],
    [404, 'not_found_error', 'model: claude-x', 404, 'model_not_found'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 413, null],
    [429, 'rate_limit_error', 'Number of request tokens has exceeded your rate limit', 429, 'rate_limit_exceeded'],
  ])('%i %s, %s, is passed on', async (status, type, message, theirStatus, code) => {
    const thrown = await failure(json(status, error(type, message)));
    expect(thrown).toMatchObject({ status: theirStatus, type, code });
    expect(thrown.message).toContain(message);
  });

  it.each([
    'prompt is too long: 200001 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 150001 + 50000 > 200000, decrease input length or `max_tokens` and try again',
  ])('for too long a prompt is told in OpenAI’s words: %s', async (message) => {
    const thrown = await failure(json(400, error('invalid_request_error', message)));
    expect(thrown).toMatchObject({ status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' });
    expect(thrown.message).toContain(
      "This model's maximum context length is 200000 tokens. However, your messages resulted in 200001 tokens.",
    );
  });

  it.each([
    ['as a refusal', false, json(400, error('invalid_request_error', outOfMoney))],
    ['in a stream', true, streamOf([{ type: 'error', error: { type: 'invalid_request_error', message: outOfMoney } }])],
  ])('for want of money, which is the operator’s quota, is told as OpenAI tells it: %s', async (_, stream, script) => {
    const thrown = await failure(script, stream);
    expect(thrown).toMatchObject({ status: 429, type: 'insufficient_quota', code: 'insufficient_quota' });
  });

  it.each([
    [401, 'authentication_error', 'invalid x-api-key', 502, 'provider_credentials'],
    [403, 'permission_error', 'not yours', 502, 'provider_credentials'],
    [500, 'api_error', 'Internal server error', 502, 'provider_error'],
    [529, 'overloaded_error', 'Overloaded', 503, 'provider_overloaded'],
  ])('%i %s is none of the caller’s', async (status, type, message, theirStatus, code) => {
    expect(await failure(json(status, error(type, message)))).toMatchObject({ status: theirStatus, code });
  });

  it.each(['no JSON', '{}', '[]', 'null', '{"type":"error","error":null}', '{"error":{"message":7}}'])(
    'may be %s',
    async (body) =>
      expect(await failure(json(400, body))).toMatchObject({ status: 400, type: 'invalid_request_error' }),
  );

  it.each(['no JSON', '[]', 'null', '{}', '{"type":"message"}', '{"content":"x"}'])(
    'is made of an answer that is %s',
    async (body) =>
      expect(await failure(json(200, body))).toMatchObject({ status: 502, code: 'provider_invalid_response' }),
  );
});

describe('its models', () => {
  it('are listed page by page', async () => {
    const pages: Record<string, unknown> = {
      '/v1/models?limit=1000': { data: [{ id: 'claude-a' }, { no: 'id' }], has_more: true, last_id: 'a/b' },
      '/v1/models?limit=1000&after_id=a%2Fb': { data: [{ id: 'claude-b' }], has_more: false, last_id: 'c' },
    };
    const upstream = await startFakeProvider((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(pages[request.path] ?? {}));
    });
    const connection = openConnection('anthropic', { ...settings, baseUrl: upstream.url });
    expect(await connection.listModels()).toEqual(['claude-a', 'claude-b']);
    expect(upstream.requests[0]?.headers).toMatchObject({ 'x-api-key': 'key', 'anthropic-version': '2023-06-01' });
    await connection.close();
    await upstream.close();
  });

  it('are asked for again only while there are more', async () => {
    const upstream = await startFakeProvider(json(200, { data: [{ id: 'x' }], has_more: true, last_id: 'x' }));
    const connection = openConnection('anthropic', { ...settings, baseUrl: upstream.url });
    expect(await connection.listModels()).toEqual(['x', 'x']);
    upstream.answerWith(json(200, { models: [] }));
    await expect(connection.listModels()).rejects.toMatchObject({ code: 'provider_invalid_response' });
    await connection.close();
    await upstream.close();
  });
});

describe('a connection', () => {
  it('needs a key for Anthropic itself, and none behind another base URL', async () => {
    expect(() => openConnection('anthropic', { ...settings, apiKey: undefined })).toThrow(SettingsError);
    await openConnection('anthropic', settings).close();
    const upstream = await startFakeProvider(json(200, { data: [] }));
    const connection = openConnection('anthropic', { ...settings, apiKey: undefined, baseUrl: upstream.url });
    await connection.listModels();
    expect(upstream.requests[0]?.headers).not.toHaveProperty('x-api-key');
    await connection.close();
    await upstream.close();
  });

  it.each(['', '/'])('takes a base URL without the version, as Anthropic’s SDKs do: ends in "%s"', async (ending) => {
    const upstream = await startFakeProvider(json(200, { data: [] }));
    const baseUrl = upstream.url.replace('/v1', ending);
    const connection = openConnection('anthropic', { ...settings, baseUrl });
    await connection.listModels();
    expect(upstream.requests[0]?.path).toBe('/v1/models?limit=1000');
    await connection.close();
    await upstream.close();
  });
});
