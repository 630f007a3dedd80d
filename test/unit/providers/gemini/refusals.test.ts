import { describe, expect, it } from 'vitest';
import { SettingsError, type ConnectionSettings } from '../../../../src/providers/contract.ts';
import { openConnection, providerAliases } from '../../../../src/providers/registry.ts';
import { json, startFakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { recording } from '../replay.ts';
import { failure, streamFailure, streamOf } from './ask.ts';

const badKey = {
  error: {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
    ],
  },
};

describe('a refusal of Google’s', () => {
  it('for its rate says when to come back', async () => {
    const error = await failure(json(429, recording('gemini/google-429-retry-info.json')));
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(error.message).toContain('You exceeded your current quota');
    expect(error.headers?.get('retry-after-ms')).toBe('34400');
  });

  it.each([
    [
      'a wrong argument',
      400,
      { message: 'Invalid value', status: 'INVALID_ARGUMENT' },
      { status: 400, type: 'invalid_request_error', code: null },
    ],
    [
      'too long a prompt',
      400,
      { message: 'The input token count (2551556) exceeds the maximum number of tokens allowed (1048576).' },
      {
        status: 400,
        code: 'context_length_exceeded',
        param: 'messages',
        message: expect.stringContaining(
          "This model's maximum context length is 1048576 tokens. However, your messages resulted in 2551556 tokens.",
        ),
      },
    ],
    [
      'an unknown model',
      404,
      { message: 'models/x is not found for API version v1beta', status: 'NOT_FOUND' },
      { status: 404, code: 'model_not_found' },
    ],
    [
      'a forbidden key',
      403,
      { message: 'secret', status: 'PERMISSION_DENIED' },
      { status: 502, code: 'provider_credentials' },
    ],
    ['its own fault', 500, { message: 'Internal', status: 'INTERNAL' }, { status: 502 }],
    [
      'its load',
      503,
      { message: 'The model is overloaded.', status: 'UNAVAILABLE' },
      { status: 503, code: 'provider_overloaded' },
    ],
  ])('for %s is told in OpenAI’s form', async (_, status, error, expected) => {
    expect(await failure(json(status, { error }))).toMatchObject(expected);
    expect(await failure(json(status, [{ error }]))).toMatchObject(expected);
    // Within an answer it is the same, whether its status or its code says so.
    const result = { code: status, ...error };
    expect(await failure(json(200, { error: result }))).toMatchObject(expected);
    expect(await streamFailure(streamOf([{ error: result }]))).toMatchObject(expected);
  });

  it('of the key, though a 400, is the operator’s, and not told in its words', async () => {
    const error = await failure(json(400, badKey));
    expect(error).toMatchObject({ status: 502, code: 'provider_credentials' });
    expect(error.message).not.toContain('API key not valid');
    expect(await streamFailure(streamOf([badKey]))).toMatchObject({ status: 502, code: 'provider_credentials' });
  });

  it('for its rate, within a stream, is known by its status', async () => {
    const error = { message: 'Resource has been exhausted', status: 'RESOURCE_EXHAUSTED' };
    expect(await streamFailure(streamOf([{ error }]))).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  });

  it.each([['no JSON'], ['[]'], ['null'], ['{"error":7}'], ['{"error":{"message":""}}']])(
    'that says nothing is one all the same: %s',
    async (body) =>
      expect(await failure(json(400, body))).toMatchObject({ status: 400, type: 'invalid_request_error' }),
  );

  it('in place of an answer is an error', async () => {
    expect(await failure(json(200, { error: { code: 500, message: 'Internal', status: 'INTERNAL' } }))).toMatchObject({
      status: 502,
    });
    expect(await failure(json(200, {}))).toMatchObject({ status: 502, code: 'provider_invalid_response' });
  });
});

describe('Gemini’s connection', () => {
  const settings: ConnectionSettings = {
    id: 'gemini',
    apiKey: 'k',
    baseUrl: undefined,
    connectTimeoutMs: 60_000,
    options: {},
  };

  it('is known as google, too, and needs a key at Google', () => {
    expect(providerAliases.get('google')).toBe('gemini');
    expect(() => openConnection('gemini', { ...settings, apiKey: undefined })).toThrow(SettingsError);
  });

  it('lists the models that chat, over all pages', async () => {
    const generates = { supportedGenerationMethods: ['generateContent', 'countTokens'] };
    const pages: Record<string, unknown> = {
      '/v1beta/models?pageSize=1000': {
        models: [
          { name: 'models/gemini-a', ...generates },
          { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
          null,
        ],
        nextPageToken: 'next/=',
      },
      '/v1beta/models?pageSize=1000&pageToken=next%2F%3D': { models: [{ name: 'tunedModels/b', ...generates }] },
    };
    expect(await listed((request, response) => void json(200, pages[request.path] ?? {})(request, response))).toEqual([
      'gemini-a',
      'tunedModels/b',
    ]);
    await expect(listed(json(400, badKey))).rejects.toMatchObject({ code: 'provider_credentials' });
    await expect(listed(json(200, []))).rejects.toMatchObject({ code: 'provider_invalid_response' });
  });

  async function listed(script: Script): Promise<readonly string[]> {
    const upstream = await startFakeProvider(script);
    const connection = openConnection('gemini', { ...settings, baseUrl: upstream.url.replace(/\/v1$/, '/v1beta') });
    try {
      return await connection.listModels();
    } finally {
      await connection.close();
      await upstream.close();
    }
  }
});
