import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { RawHttp, exchange, type RawAnswer } from '../../harness/raw-http.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway.close();
});

const bearer = `authorization: Bearer ${secret}\r\n`;

function request(method: string, path: string, headers = bearer, body = ''): Promise<RawAnswer> {
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return exchange(gateway.url, `${method} ${path} HTTP/1.1\r\nhost: test\r\n${headers}${length}\r\n${body}`, {
    bodyless: method === 'HEAD',
  });
}

const requestHeaders: ReadonlySet<string> = new Set([
  'x-sluice-account',
  'x-sluice-log',
  'x-sluice-parent-id',
  'x-sluice-query-cost',
  'x-sluice-session',
  'x-sluice-session-id',
  'x-sluice-tags',
]);

/** Those of the OpenAPI document, and those that a page of the documentation names. */
function documentedResponseHeaders(): string[] {
  const described: { components: { headers: object } } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  const pages = globSync('docs/**/*.md').map((page) => readFileSync(page, 'utf8'));
  const named = pages.flatMap((page) => [...page.matchAll(/`(x-sluice-[a-z-]+)/g)].map(([, name = '']) => name));
  return [...Object.keys(described.components.headers), ...named.filter((name) => !requestHeaders.has(name))];
}

function errorOf({ body }: RawAnswer): { type: string; code: string | null; param: string | null; message: string } {
  return JSON.parse(body).error;
}

describe('authentication comes first', () => {
  it.each(['/v1/models', '/v1/models/sandbox/chat', '/v1/nothing', '/v1/chat/completions', '/v1'])(
    'a stranger at %s is answered 401, with what to send',
    async (path) => {
      const answer = await request('GET', path, '');
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', code: null, param: null });
      expect(errorOf(answer).message).toContain("You didn't provide an API key");
    },
  );

  it.each([
    ['a wrong key', 'authorization: Bearer sk-sluice-wrong\r\n', 'invalid_api_key'],
    ['a key with quotes and SQL', `authorization: Bearer '; DROP TABLE api_keys; --\r\n`, 'invalid_api_key'],
    ['a key beyond ASCII', 'authorization: Bearer schlüssel\r\n', 'invalid_api_key'],
    ['an empty key', 'authorization: Bearer \r\n', null],
    ['another scheme', 'authorization: Basic dXNlcjpwYXNz\r\n', null],
  ])('%s is 401', async (_what, header, code) => {
    const answer = await request('GET', '/v1/models', header);
    expect(answer.status).toBe(401);
    expect(errorOf(answer).code).toBe(code);
  });

  it('accepts the scheme in any case', async () => {
    expect((await request('GET', '/v1/models', `Authorization: bEARER ${secret}\r\n`)).status).toBe(200);
  });

  it.each(['x-api-key', 'api-key', 'x-goog-api-key', 'X-Api-Key'])('accepts the key in %s', async (name) => {
    expect((await request('GET', '/v1/models', `${name}: ${secret}\r\n`)).status).toBe(200);
    expect((await request('GET', '/v1/models', `${name}: ${secret}\r\n${bearer}`)).status).toBe(200);
    const wrong = await request('GET', '/v1/models', `${name}: sk-sluice-wrong\r\n`);
    expect(wrong.status).toBe(401);
    expect(errorOf(wrong).code).toBe('invalid_api_key');
  });

  it('accepts a chat completion with the key in x-api-key', async () => {
    const body = JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] });
    const headers = `x-api-key: ${secret}\r\ncontent-type: application/json\r\n`;
    expect((await request('POST', '/v1/chat/completions', headers, body)).status).toBe(200);
  });

  it('ignores another scheme of a proxy if a key header is present', async () => {
    const headers = `authorization: Basic dXNlcjpwYXNz\r\nx-api-key: ${secret}\r\n`;
    expect((await request('GET', '/v1/models', headers)).status).toBe(200);
  });

  it.each([
    ['authorization', `Bearer ${secret}`, 'x-api-key', 'sk-sluice-other'],
    ['x-goog-api-key', secret, 'api-key', 'sk-sluice-other'],
  ])('returns 400 for different keys in %s and another header', async (one, key, two, other) => {
    const answer = await request('GET', '/v1/models', `${one}: ${key}\r\n${two}: ${other}\r\n`);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code: 'conflicting_api_keys' });
    expect(errorOf(answer).message).toContain(one);
    expect(answer.body).not.toContain('sk-sluice-other');
  });

  it.each([
    ['no key', ''],
    ['a wrong key', 'authorization: Bearer sk-sluice-wrong\r\n'],
  ])('%s returns an error with the URL of the keys page', async (_what, headers) => {
    const { message } = errorOf(await request('GET', '/v1/models', headers));
    expect(message).toMatch(/You can obtain an API key from http:\/\/test\/keys\.$/);
  });

  it('a key without the scope returns 403', async () => {
    const readers = await startGateway({ key: { scopes: new Set(['read']) } });
    try {
      const answer = await exchange(readers.url, `GET /v1/models HTTP/1.1\r\nhost: test\r\n${bearer}\r\n`);
      expect(answer.status).toBe(403);
      expect(errorOf(answer).code).toBe('insufficient_scope');
    } finally {
      await readers.close();
    }
  });
});

describe('an unknown URL', () => {
  it.each([
    ['GET', '/v1/nothing'],
    ['POST', '/v1/chat/completion'],
    ['GET', '/v1/Models'],
    ['DELETE', '/nothing'],
    ['GET', '/v1/%E0%A4%A'],
  ])('%s %s returns 404 in OpenAI’s format', async (method, path) => {
    const answer = await request(method, path);
    expect(answer.status).toBe(404);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', code: 'unknown_url' });
    expect(errorOf(answer).message).toContain(`Unknown request URL: ${method} ${path}.`);
  });

  it('is reported without its query and truncated', async () => {
    const answer = await request('GET', `/v1/${'x'.repeat(5000)}?key=secret`);
    expect(answer.status).toBe(404);
    expect(answer.body.length).toBeLessThan(600);
    expect(answer.body).not.toContain('secret');
  });

  it('has no body for HEAD, and the connection stays open', async () => {
    const client = await RawHttp.open(gateway.url);
    client.send(`HEAD /nothing HTTP/1.1\r\nhost: test\r\n\r\n`);
    expect((await client.answer({ bodyless: true })).status).toBe(404);
    client.send(`GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n`);
    expect((await client.answer()).body).toBe('{"status":"ok"}');
    client.close();
  });
});

describe('an unsupported method', () => {
  it.each([
    ['GET', '/v1/chat/completions', 'POST, OPTIONS'],
    ['HEAD', '/v1/chat/completions', 'POST, OPTIONS'],
    ['PUT', '/v1/chat/completions', 'POST, OPTIONS'],
    ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/models/sandbox/chat', 'GET, HEAD, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/readyz', 'GET, HEAD, OPTIONS'],
    ['POST', '/metrics', 'GET, HEAD, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('%s %s returns 405 with the supported methods', async (method, path, allowed) => {
    const answer = await request(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allowed);
    if (method !== 'HEAD') expect(errorOf(answer).code).toBe('method_not_supported');
  });
});

describe('HEAD', () => {
  it.each(['/v1/models', '/v1/models/sandbox/chat', '/healthz', '/readyz', '/openapi.json', '/docs', '/'])(
    'of %s has the headers of GET and no body',
    async (path) => {
      const get = await request('GET', path);
      const head = await request('HEAD', path);
      expect(head.status).toBe(200);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    },
  );
});

describe('a browser', () => {
  const preflight = (headers: string): Promise<RawAnswer> =>
    request(
      'OPTIONS',
      '/v1/chat/completions',
      `origin: https://app.example\r\naccess-control-request-method: POST\r\n${headers}`,
    );

  it('may send a preflight without a key and the headers of the SDKs', async () => {
    const asked = 'authorization,content-type,x-stainless-lang,x-stainless-retry-count,x-custom';
    const answer = await preflight(`access-control-request-headers: ${asked}\r\n`);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toBe(asked);
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    expect(answer.headers.get('vary')).toBe('access-control-request-headers');
  });

  it('receives the default headers for an empty or malformed request', async () => {
    for (const headers of ['', 'access-control-request-headers: <script>;\r\n']) {
      const allowed = (await preflight(headers)).headers.get('access-control-allow-headers');
      expect(allowed).toContain('authorization, x-api-key, api-key, x-goog-api-key, content-type');
      expect(allowed).toContain('x-stainless-timeout');
    }
  });

  it.each([
    ['an answer', 200, '/v1/models', bearer],
    ['an error', 401, '/v1/models', ''],
  ])('can read %s and its headers', async (_what, status, path, headers) => {
    const answer = await request('GET', path, `origin: https://app.example\r\n${headers}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
  });

  it('can read every header that the documentation names', async () => {
    const answer = await request('GET', '/v1/models', `origin: https://app.example\r\n${bearer}`);
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ') ?? [];
    const names = documentedResponseHeaders();
    expect(names).toContain('x-sluice-estimated');
    for (const name of names) expect(exposed).toContain(name);
  });

  it('receives the methods for OPTIONS without a preflight', async () => {
    const answer = await request('OPTIONS', '/v1/models');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('OPTIONS without a key', () => {
  it('returns the same response for every path under /v1, known or not', async () => {
    for (const path of ['/v1/models', '/v1/chat/completions', '/v1/nothing']) {
      const answer = await request('OPTIONS', path, '');
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
      expect(answer.headers.has('x-ratelimit-limit-requests')).toBe(false);
    }
  });

  it('is refused with a wrong one', async () => {
    expect((await request('OPTIONS', '/v1/models', 'authorization: Bearer wrong\r\n')).status).toBe(401);
  });
});

describe('every /v1 response', () => {
  it.each([
    ['a success', '/v1/models', bearer],
    ['a refusal', '/v1/models', ''],
    ['an unknown URL', '/v1/nothing', bearer],
  ])('%s has its request ID, duration and version in headers', async (_what, path, headers) => {
    const answer = await request('GET', path, headers);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(answer.headers.get('openai-processing-ms')).toMatch(/^\d+$/);
    expect(answer.headers.get('openai-version')).toBe('2020-10-01');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.has('x-powered-by')).toBe(false);
  });

  it('has a unique ID', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await request('GET', '/v1/models')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a body of another content type', () => {
  const post = (contentType: string, body = '{}', more = ''): Promise<RawAnswer> =>
    request('POST', '/v1/chat/completions', `${bearer}${contentType}${more}`, body);

  it.each([
    ['content-type: text/plain\r\n', 'unsupported_content_type'],
    ['content-type: application/x-www-form-urlencoded\r\n', 'unsupported_content_type'],
    ['content-type: multipart/form-data; boundary=x\r\n', 'unsupported_content_type'],
    ['content-type: application/json; charset=utf-16\r\n', 'unsupported_content_type'],
    ['', 'unsupported_content_type'],
    ['content-type: application/json\r\ncontent-encoding: deflate\r\n', 'unsupported_content_encoding'],
    ['content-type: application/json\r\ncontent-encoding: gzip, gzip\r\n', 'unsupported_content_encoding'],
  ])('%j is 415', async (header, code) => {
    const answer = await post(header);
    expect(answer.status).toBe(415);
    expect(errorOf(answer).code).toBe(code);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset="UTF-8"',
    'application/vnd.api+json',
  ])('%s is read as JSON', async (contentType) => {
    const answer = await post(`content-type: ${contentType}\r\n`);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toBe('you must provide a model parameter');
  });

  it.each([
    ['', 'content-length: 0\r\n'],
    ['null', ''],
    ['[]', ''],
    ['{"model":', ''],
    ['['.repeat(50_000), ''],
    ['[NaN]', ''],
    ['\ufeff', ''],
    [Buffer.from('{"model":"sandbox/chat"}', 'utf16le').toString('latin1'), ''],
  ])('%.20j, which is no JSON object, returns 400', async (body, more) => {
    const answer = await post('content-type: application/json\r\n', body, more);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', code: null });
    expect(errorOf(answer).message).toMatch(/^We could not parse the JSON body of your request/);
  });
});

describe('malformed requests', () => {
  it('with both Content-Length and Transfer-Encoding are refused, and the connection is closed', async () => {
    const client = await RawHttp.open(gateway.url);
    client.send(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: test\r\n${bearer}content-type: application/json\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/models HTTP/1.1\r\n\r\n`,
    );
    const answer = await client.answer();
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe('malformed_http');
    expect(await client.rest()).toBe('');
    client.close();
  });

  it('with 20 KB of headers return 431 in JSON', async () => {
    const answer = await request('GET', '/healthz', `x-long: ${'x'.repeat(20_000)}\r\n`);
    expect(answer.status).toBe(431);
    expect(errorOf(answer).code).toBe('headers_too_large');
  });

  it('with nearly 16 KB of headers are served', async () => {
    expect((await request('GET', '/v1/models', `${bearer}x-long: ${'x'.repeat(15_000)}\r\n`)).status).toBe(200);
  });

  it('with 2,000 headers have no effect', async () => {
    const many = Array.from({ length: 1990 }, (_, index) => `h${index}:\r\n`).join('');
    expect([200, 431]).toContain((await request('GET', '/v1/models', `${bearer}${many}`)).status);
    expect((await request('GET', '/healthz')).status).toBe(200);
  });

  it('with a header named __proto__ are served and change no prototype', async () => {
    const answer = await request('GET', '/v1/models', `${bearer}__proto__: polluted\r\nconstructor: polluted\r\n`);
    expect(answer.status).toBe(200);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('that are not HTTP return 400', async () => {
    const answer = await exchange(gateway.url, 'what is this?\r\n\r\n');
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe('malformed_http');
  });

  it('in two requests on one connection receive responses in order', async () => {
    const client = await RawHttp.open(gateway.url);
    const one = `GET /v1/models HTTP/1.1\r\nhost: test\r\n${bearer}\r\n`;
    client.send(one + one);
    expect((await client.answer()).status).toBe(200);
    expect((await client.answer()).status).toBe(200);
    client.close();
  });
});
