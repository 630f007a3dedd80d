import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const refusal = z.object({ error: z.object({ code: z.string(), param: z.string().nullable(), message: z.string() }) });
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let provider: FakeProvider;
let shelf: Server;
let fetched: string[] = [];
let place = '';
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  shelf = createServer((request, response) => {
    fetched.push(request.url ?? '');
    if (request.url === '/inside')
      response.writeHead(302, { location: `http://localhost:${place.split(':')[1]}/pixel.png` }).end();
    else if (request.url === '/slow') {
      response.writeHead(200, { 'content-type': 'image/png' }).write(PIXEL.subarray(0, 1));
      response.on('close', () => shelf.emit('cancelled'));
    } else if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('secret');
    else response.writeHead(200, { 'content-type': 'image/png' }).end(PIXEL);
  }).listen(0, '127.0.0.1');
  await once(shelf, 'listening');
  const address = shelf.address();
  place = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const { url } = provider;
  gateway = await startGateway({
    providers: { openai: url, vllm: url },
    config: 'routes:\n  either:\n    targets: [openai/gpt-4.1-mini, vllm/any]\n',
    allowedHosts: [place],
    inlining: ['vllm'],
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  shelf.close();
});

function post(path: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}

function look(model: string, url: string, more: object = {}, signal: AbortSignal | null = null): Promise<Response> {
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ];
  return post('/v1/chat/completions', { model, messages: [{ role: 'user', content }], ...more }, signal);
}

async function refused(answer: Response): Promise<{ code: string; param: string | null }> {
  expect(answer.status).toBe(400);
  const { code, param } = refusal.parse(await answer.json()).error;
  return { code, param };
}

const AT = 'messages[0].content[1].image_url.url';

describe('a URL in a request', () => {
  it.each([
    'http://127.0.0.1/x.png',
    'http://127.1/x.png',
    'http://2130706433/x.png',
    'http://0x7f.0.0.1/x.png',
    'http://017700000001/x.png',
    'http://[::1]/x.png',
    'http://[::ffff:127.0.0.1]/x.png',
    'http://[64:ff9b::7f00:1]/x.png',
    'http://0.0.0.0/x.png',
    'http://10.0.0.7/x.png',
    'http://172.16.3.4/x.png',
    'http://192.168.1.1/x.png',
    'http://100.64.0.1/x.png',
    'http://169.254.169.254/latest/meta-data/',
    'HTTP://LOCALHOST/x.png',
    ' http://localhost/x.png',
    'http://localhost./x.png',
    'http://printer/x.png',
    'http://metadata.google.internal/x',
    'http://user@example.com@127.0.0.1/x.png',
    'http://１２７.0.0.1/x.png',
    'http:127.0.0.1/x.png',
    'https:\\\\127.0.0.1\\x.png',
  ])('%s is sent to no provider, not even the sandbox', async (url) => {
    const before = provider.requests.length;
    for (const model of ['openai/gpt-4.1-mini', 'vllm/any', 'sandbox/chat', 'either'])
      expect([model, (await refused(await look(model, url))).param]).toEqual([model, AT]);
    expect(provider.requests.length).toBe(before);
  });

  it.each([
    'data:',
    'data:,',
    'data:image/png;base64,',
    'data:image/png,abc',
    'data:;base64,AAAA',
    'data:image/png;base64,!!',
  ])('%s is rejected as an invalid data: URL', async (url) => {
    expect(await refused(await look('sandbox/chat', url))).toEqual({ code: 'invalid_value', param: AT });
  });

  it('is checked in every member that a provider may fetch', async () => {
    for (const [param, members] of [
      ['webhook_url', { webhook_url: 'http://10.0.0.1/' }],
      ['mm.video_url.url', { mm: { video_url: { url: 'http://10.0.0.1/' } } }],
      ['images[1]', { images: ['https://example.com/', 'http://10.0.0.1/'] }],
      ['mask', { mask: 'file:///etc/passwd' }],
    ] as const)
      expect(await refused(await look('openai/gpt-4.1-mini', 'https://example.com/x.png', members))).toEqual({
        code: 'outbound_refused',
        param,
      });
    const content = [{ type: 'file', file: { file_data: 'http://10.0.0.1/x.pdf' } }];
    const answer = await post('/v1/chat/completions', {
      model: 'openai/gpt-4.1-mini',
      messages: [{ role: 'user', content }],
    });
    expect((await refused(answer)).param).toBe('messages[0].content[0].file.file_data');
  });

  it('is not checked in text, schemas and metadata', async () => {
    const parameters = { type: 'object', properties: { url: { type: 'string', default: 'http://127.0.0.1/' } } };
    const answer = await post('/v1/chat/completions', {
      model: 'vllm/any',
      messages: [{ role: 'user', content: 'http://127.0.0.1/' }],
      tools: [{ type: 'function', function: { name: 'open', parameters } }],
      metadata: { url: 'http://127.0.0.1/' },
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  });

  it('is sent unchanged to a public service', async () => {
    fetched = [];
    const url = `https://example.com/x.png?${'signed'.repeat(1_000)}`;
    const answer = await look('openai/gpt-4.1-mini', url);
    await answer.text();
    expect(provider.requests.at(-1)?.body).toContain(url);
    expect(fetched).toEqual([]);
  });

  it('is fetched by the gateway for a self-hosted server, and for a route with one', async () => {
    for (const model of ['vllm/any', 'either']) {
      fetched = [];
      const answer = await look(model, `http://${place}/pixel.png`);
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      const { body } = provider.requests.at(-1) ?? { body: '' };
      expect(body).toContain(`data:image/png;base64,${PIXEL.toString('base64')}`);
      expect(body).not.toContain(place);
      expect(fetched).toEqual(['/pixel.png']);
    }
  });

  it('is no longer fetched once the client has disconnected', async () => {
    const client = new AbortController();
    const [asked, cancelled] = [once(shelf, 'request'), once(shelf, 'cancelled')];
    const answer = look('vllm/any', `http://${place}/slow`, {}, client.signal);
    await asked;
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
    await cancelled;
  });

  it('that redirects elsewhere, or is not an image, is rejected by its member', async () => {
    const before = provider.requests.length;
    for (const path of ['/inside', '/page'])
      expect(await refused(await look('vllm/any', `http://${place}${path}`))).toEqual({
        code: 'invalid_value',
        param: AT,
      });
    expect(provider.requests.length).toBe(before);
  });
});
