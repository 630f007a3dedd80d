import Anthropic, { NotFoundError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicError } from '../../harness/anthropic-schema.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { geminiError } from '../../harness/gemini-schema.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway.close();
});

function send(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(gateway.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: '{}' }),
  });
}

describe('a client of Anthropic', () => {
  const headers = { 'x-api-key': secret, 'anthropic-version': '2023-06-01' };

  it.each([
    ['GET', '/v1/files', 'base64'],
    ['POST', '/v1/files', 'base64'],
    ['GET', '/v1/files/file_1/content', 'base64'],
    ['GET', '/v1/skills', 'system'],
    ['POST', '/v1/complete', 'POST /v1/messages'],
    ['GET', '/v1/organizations/me', '/graphql'],
    ['POST', '/v1/agents', '/v1/messages'],
  ])('learns from %s %s what to do instead', async (method, path, advice) => {
    const response = await send(method, path, headers);
    expect(response.status).toBe(404);
    expect(response.headers.get('request-id')).not.toBeNull();
    const { error, request_id: id } = anthropicError.parse(await response.json());
    expect(error).toMatchObject({ type: 'not_found_error', message: expect.stringContaining('Sluice does not serve') });
    expect(error.message).toContain(`${method} ${path}`);
    expect(error.message).toContain(advice);
    expect(id).toBe(response.headers.get('x-request-id'));
  });

  it('reads the error by its SDK', async () => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: secret, maxRetries: 0 });
    await expect(client.beta.files.list()).rejects.toThrow(NotFoundError);
  });

  it('without a key is refused before', async () => {
    const response = await send('GET', '/v1/files', { 'anthropic-version': '2023-06-01' });
    expect(response.status).toBe(401);
    expect(anthropicError.parse(await response.json()).error.type).toBe('authentication_error');
  });
});

describe('a client of Google', () => {
  const headers = { 'x-goog-api-key': secret };

  it.each([
    ['GET', '/v1beta/files', 'inlineData'],
    ['GET', '/v1beta/files/abc', 'inlineData'],
    ['POST', '/upload/v1beta/files', 'inlineData'],
    ['POST', '/v1beta/files:register', 'inlineData'],
    ['POST', '/v1beta/cachedContents', 'within the request'],
    ['GET', '/v1beta/tunedModels/x', 'provider/model'],
    ['POST', '/v1beta/models/openai/m:batchGenerateContent', '/v1/batches'],
    ['POST', '/v1beta/models/openai/m:predict', '/v1/images/generations'],
    ['POST', '/v1beta/openai/chat/completions', '/v1'],
    ['POST', '/v1beta/models/openai/m:fooContent', '`streamGenerateContent`'],
    ['POST', '/v1/models/openai/m:fooContent', '`streamGenerateContent`'],
    ['GET', '/v1beta/nothing', '/docs'],
  ])('learns from %s %s what to do instead', async (method, path, advice) => {
    const response = await send(method, path, headers);
    expect(response.status).toBe(404);
    const { error } = geminiError.parse(await response.json());
    expect(error).toMatchObject({ code: 404, status: 'NOT_FOUND', message: expect.stringContaining(advice) });
  });

  it.each(['/v1beta/files', '/upload/v1beta/files', '/v1beta/models'])(
    'without a key is refused at %s',
    async (path) => {
      const response = await send('GET', path, {});
      expect(response.status).toBe(401);
      expect(geminiError.parse(await response.json()).error.status).toBe('UNAUTHENTICATED');
    },
  );

  it('with a wrong key in the URL reads that it was there', async () => {
    for (const path of ['/v1beta/models', '/v1beta/models/openai/m:generateContent', '/v1beta/files']) {
      const method = path.endsWith('Content') ? 'POST' : 'GET';
      const response = await send(method, `${path}?key=bad`, {});
      expect(response.status).toBe(401);
      expect(geminiError.parse(await response.json()).error.message).toContain('query parameter `key`');
    }
  });

  it('with different keys in the URL and a header reads where they are', async () => {
    const response = await send('GET', '/v1beta/models?key=bad', { authorization: `Bearer ${secret}` });
    expect(response.status).toBe(400);
    expect(geminiError.parse(await response.json()).error.message).toContain(
      'authorization, the query parameter `key`',
    );
  });
});

describe('a client of OpenAI', () => {
  const headers = { authorization: `Bearer ${secret}` };

  it.each([
    ['POST', '/v1/assistants', '/v1/responses'],
    ['POST', '/v1/threads/t/runs', '/v1/responses'],
    ['GET', '/v1/vector_stores', '/v1/embeddings'],
    ['POST', '/v1/fine_tuning/jobs', 'provider/model'],
    ['POST', '/v1/realtime/client_secrets', '/v1/audio/speech'],
    ['GET', '/v1/organization/usage', '/graphql'],
    ['POST', '/openai/assistants?api-version=1', '/v1/responses'],
  ])('learns from %s %s what to do instead', async (method, path, advice) => {
    const response = await send(method, path, headers);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'endpoint_not_served',
        type: 'invalid_request_error',
        message: expect.stringContaining(advice),
      },
    });
  });

  it('keeps the general advice at a path that no protocol has', async () => {
    expect(await (await send('GET', '/v1/nothing', headers)).json()).toMatchObject({ error: { code: 'unknown_url' } });
  });
});
