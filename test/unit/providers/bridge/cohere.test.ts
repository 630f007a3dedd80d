import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { buildConnector } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChatRequestContext, ConnectionSettings, Upstream } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { json, pieces, silence, startFakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { recording, replayStream } from '../replay.ts';
import { hello, startWithProvider, completeMessage, type GatewayWithProvider } from './gateway-with-provider.ts';

const model = 'cohere/command-a-03-2025';
const answer = json(200, {
  message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
  finish_reason: 'COMPLETE',
  usage: { tokens: { input_tokens: 4, output_tokens: 2 } },
});
const firstEvents = recording('cohere/cohere-text.chunks.txt')
  .split('\n')
  .slice(0, 4)
  .map((data) => `data: ${data}\n\n`);

let open: GatewayWithProvider | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function cohere(script: Script, settings: Partial<ConnectionSettings> = {}): Promise<GatewayWithProvider> {
  open = await startWithProvider('cohere', script, settings);
  return open;
}

describe('Cohere', () => {
  it.each([
    { input_tokens: -4, output_tokens: 2 },
    { input_tokens: 4, output_tokens: -2 },
    { input_tokens: 4.5, output_tokens: 2 },
  ])('is metered by an estimate where it reports impossible counts of tokens: %o', async (tokens) => {
    const { client, gateway } = await cohere(
      json(200, {
        message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
        finish_reason: 'COMPLETE',
        usage: { tokens },
      }),
    );
    const { usage } = await client.chat.completions.create({ model, messages: hello });
    for (const count of [usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens])
      expect(count ?? 0).toSatisfy((value: number) => Number.isInteger(value) && value >= 0);
    expect(await gateway.settledCount(1)).toMatchObject([{ status: 'succeeded', estimated: true }]);
  });

  it('answers with tool calls, and after their results', async () => {
    const { upstream, client } = await cohere(replayStream(recording('cohere/cohere-tool-call.chunks.txt')));
    const tool = { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } };
    const asked = { model, messages: hello, tools: [tool] };
    const message = await completeMessage(await client.chat.completions.create({ ...asked, stream: true }));
    const calls = message.tool_calls ?? [];
    expect(calls.length).toBeGreaterThan(1);
    upstream.answerWith(answer);
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: `result of ${id}` }));
    await client.chat.completions.create({
      ...asked,
      messages: [...hello, message, ...results],
      tool_choice: 'required',
      max_tokens: 9,
      presence_penalty: 0.5,
      frequency_penalty: 0.25,
      seed: 7,
      stop: 'END',
      response_format: { type: 'json_object' },
    });
    expect(upstream.requests[1]).toMatchObject({ path: '/v1/chat', headers: { authorization: 'Bearer provider-key' } });
    expect(upstream.requests[1]?.json).toMatchObject({
      model: 'command-a-03-2025',
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', tool_calls: calls.map(({ id }) => ({ id, type: 'function' })) },
        ...results,
      ],
      tool_choice: 'REQUIRED',
      max_tokens: 9,
      presence_penalty: 0.5,
      frequency_penalty: 0.25,
      seed: 7,
      stop_sequences: ['END'],
      response_format: { type: 'json_object' },
    });
  });

  it('receives text files as text, and images as URLs', async () => {
    const { upstream, client } = await cohere(answer);
    await client.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.webp' } },
            { type: 'file', file: { filename: 'a.csv', file_data: 'data:text/csv;base64,YSxi' } },
          ],
        },
      ],
    });
    expect(upstream.requests[0]?.json).toMatchObject({
      messages: [
        { content: [{ type: 'text' }, { type: 'image_url', image_url: { url: 'https://example.com/a.webp' } }] },
      ],
      documents: [{ data: { text: 'a,b', title: 'a.csv' } }],
    });
  });

  it.each([
    [400, json(400, { message: 'no such model' }), { status: 400, message: '400 no such model' }],
    [401, json(401, { message: 'bad key 12345' }), { status: 502, code: 'provider_credentials' }],
    [429, json(429, { message: 'slow down' }, { 'retry-after': '7' }), { status: 429, message: '429 slow down' }],
    [500, json(500, { message: 'broken' }), { status: 502 }],
    [503, json(503, 'no JSON'), { status: 503, code: 'provider_overloaded' }],
    [301, json(301, '', { location: 'http://169.254.169.254/' }), { status: 502 }],
  ])('reports status %i in OpenAI’s format, streamed or not', async (status, script, expected) => {
    const { upstream, client } = await cohere(script);
    for (const stream of [true, false]) {
      const error = await client.chat.completions.create({ model, messages: hello, stream }).catch((e: unknown) => e);
      expect(error).toMatchObject(expected);
      expect(String(error)).not.toContain('12345');
      if (status === 429) expect(error).toHaveProperty('headers', expect.any(Headers));
      if (status === 429 && error instanceof Object && 'headers' in error && error.headers instanceof Headers)
        expect(error.headers.get('retry-after')).toBe('7');
    }
    // The package does not retry: the gateway decides about retries.
    expect(upstream.requests).toHaveLength(2);
  });

  it('reports a provider that cannot be reached', async () => {
    const { client, upstream } = await cohere(silence);
    await upstream.close();
    open = { ...(open ?? never()), upstream: { ...upstream, close: async () => undefined } };
    await expect(client.chat.completions.create({ model, messages: hello })).rejects.toMatchObject({
      status: 502,
      code: 'provider_unreachable',
    });
  });

  it.each([
    ['no JSON', json(200, 'a secret that is no JSON')],
    ['another shape', json(200, { secret: true })],
    ['compressed', json(200, 'a secret', { 'content-encoding': 'gzip' })],
  ])('relays nothing of a response that cannot be parsed: %s', async (_what, script) => {
    const { client } = await cohere(script);
    const error = await client.chat.completions.create({ model, messages: hello }).catch((e: unknown) => e);
    expect(error).toMatchObject({ status: 502, code: 'provider_invalid_response' });
    expect(String(error)).not.toContain('secret');
  });

  it.each([true, false])('closes its socket when the client disconnects, streamed: %s', async (stream) => {
    const { client, upstream } = await cohere(stream ? pieces(firstEvents, 'hang') : silence);
    const leaving = new AbortController();
    const asked = client.chat.completions.create({ model, messages: hello, stream }, { signal: leaving.signal });
    const ended = asked.then(
      async (answered) => (Symbol.asyncIterator in answered ? completeMessage(answered) : answered),
      () => null,
    );
    const { aborted } = await upstream.nextRequest();
    leaving.abort();
    await aborted;
    await ended.catch(() => null);
  });

  it('calls the receiver no more after an abort', async () => {
    const upstream = await startFakeProvider(pieces([...firstEvents, ...firstEvents.slice(2)], 'hang'));
    const connection = openConnection('cohere', settings(upstream.url));
    const calls: string[] = [];
    let upstreamHandle: Upstream | null = null;
    connection.chat(context(), {
      onConnecting: (handle) => void (upstreamHandle = handle),
      onSent: () => void calls.push('sent'),
      onHead: () => void calls.push('head'),
      onData: () => undefined,
      onParts: () => {
        calls.push('parts');
        upstreamHandle?.abort();
      },
      onResult: () => undefined,
      onEnd: () => void calls.push('end'),
      onFailure: () => void calls.push('failure'),
    });
    const { aborted } = await upstream.nextRequest();
    await aborted;
    await connection.close();
    await upstream.close();
    expect(calls).toEqual(['sent', 'head', 'parts']);
  });

  it('sends nothing for a call that is aborted immediately', async () => {
    const upstream = await startFakeProvider(answer);
    const connection = openConnection('cohere', settings(upstream.url));
    const calls: string[] = [];
    connection.chat(context(), {
      onConnecting: (handle) => handle.abort(),
      onHead: () => void calls.push('head'),
      onData: () => undefined,
      onParts: () => void calls.push('parts'),
      onResult: () => void calls.push('result'),
      onEnd: () => void calls.push('end'),
      onFailure: () => void calls.push('failure'),
    });
    // Another call on the same connection completes meanwhile.
    expect(await ending(connection.chat.bind(connection))).toBe('end');
    expect(calls).toEqual([]);
    expect(upstream.requests).toHaveLength(1);
    await connection.close();
    await upstream.close();
  });

  it('does not read from the socket while the receiver is paused', async () => {
    const event = `data: ${JSON.stringify({ type: 'content-delta', index: 0, delta: { message: { content: { text: 'x'.repeat(10_000) } } } })}\n\n`;
    let written = 0;
    const server = createServer((connected) => {
      connected.once('data', () => {
        connected.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
        const pump = (): void => {
          while (!connected.destroyed && written < 50_000_000) {
            written += event.length;
            if (!connected.write(event)) return void connected.once('drain', pump);
          }
          connected.end();
        };
        pump();
      });
      connected.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const connection = openConnection('cohere', settings(`http://127.0.0.1:${port}/v2`));
    let received = 0;
    let handle: Upstream | null = null;
    const finished = new Promise<string>((resolve) => {
      connection.chat(context(), {
        onConnecting: (upstream) => void (handle = upstream),
        onHead: () => undefined,
        onData: () => undefined,
        onParts: (parts) => {
          if (received === 0) handle?.pause();
          for (const part of parts) if (part.type === 'text') received += part.text.length;
        },
        onResult: () => undefined,
        onEnd: () => resolve('end'),
        onFailure: (error) => resolve(error.code),
      });
    });
    // Until nothing moves any more: all buffers are full, or everything is written. There is no event for that.
    for (let quiet = 0, before = 0; quiet < 500 || written === 0;) {
      await new Promise((resolve) => setImmediate(resolve));
      quiet = before === written ? quiet + 1 : 0;
      before = written;
      if (written >= 50_000_000) break;
    }
    expect(received).toBeLessThan(20_000);
    expect(written).toBeLessThan(20_000_000);
    resumed(handle);
    expect(await finished).toBe('end');
    expect(received).toBeGreaterThan(45_000_000);
    await connection.close();
    server.close();
  });

  it('lists its models page by page', async () => {
    const upstream = await startFakeProvider((request, response) => {
      const first = !request.path.includes('page_token');
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(
          first
            ? { models: [{ name: 'command-a-03-2025', endpoints: ['chat'] }, 7], next_page_token: 'a b' }
            : { models: [{ name: 'embed-v4.0' }] },
        ),
      );
    });
    const connection = openConnection('cohere', settings(upstream.url.replace(/v1$/, 'v2')));
    expect(await connection.listModels()).toEqual(['command-a-03-2025', 'embed-v4.0']);
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      '/v1/models?page_size=1000',
      '/v1/models?page_size=1000&page_token=a%20b',
    ]);
    upstream.answerWith(json(401, { message: 'bad key' }));
    await expect(connection.listModels()).rejects.toMatchObject({ code: 'provider_credentials' });
    await connection.close();
    await upstream.close();
  });

  it('stops reading a model list that never ends', async () => {
    const sent = { bytes: 0 };
    const upstream = await startFakeProvider((_request, response) => {
      const piece = Buffer.alloc(1024 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) sent.bytes += piece.length;
        sent.bytes += piece.length;
      };
      response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more);
      more();
      return new Promise((resolve) => response.on('close', resolve));
    });
    const connection = openConnection('cohere', settings(upstream.url.replace(/v1$/, 'v2')));
    await expect(connection.listModels()).rejects.toMatchObject({ code: 'provider_unreachable' });
    await upstream.requests[0]?.aborted;
    expect(sent.bytes).toBeLessThan(64 * 1024 * 1024);
    await connection.close();
    await upstream.close();
  });

  it('dials with the configured connector', async () => {
    const upstream = await startFakeProvider(answer);
    const hosts: (string | undefined)[] = [];
    const dial: buildConnector.connector = ({ hostname }, callback) => {
      hosts.push(hostname);
      const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => callback(null, socket));
    };
    const connection = openConnection('cohere', { ...settings(undefined), dial });
    expect(await ending(connection.chat.bind(connection))).toBe('end');
    expect(hosts).toEqual(['api.cohere.com']);
    expect(upstream.requests[0]).toMatchObject({ path: '/v2/chat', headers: { host: 'api.cohere.com' } });
    await connection.close();
    await upstream.close();
  });
});

function settings(baseUrl: string | undefined): ConnectionSettings {
  return { id: 'cohere', apiKey: 'key', baseUrl, connectTimeoutMs: 60_000, options: {} };
}

function context(): ChatRequestContext {
  const request = { model: 'm', messages: hello, stream: true };
  const body = Buffer.from(JSON.stringify(request));
  return { model: 'm', request, body, stream: true, wantsUsage: false, requestId: 'req_1', parameters: 'drop' };
}

/** The error of an unstreamed call. */
function ending(chat: ReturnType<typeof openConnection>['chat']): Promise<string> {
  return new Promise((resolve) => {
    chat(
      { ...context(), stream: false },
      {
        onConnecting: () => undefined,
        onHead: () => undefined,
        onData: () => undefined,
        onParts: () => undefined,
        onResult: () => undefined,
        onEnd: () => resolve('end'),
        onFailure: (error) => resolve(error.code),
      },
    );
  });
}

function resumed(handle: Upstream | null): void {
  handle?.resume();
}

function never(): never {
  throw new Error('there is a gateway');
}
