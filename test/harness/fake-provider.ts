import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that the fake provider received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as it came. */
  readonly bytes: Buffer;
  readonly json: Record<string, unknown>;
  /** Settles when the caller closes the connection before the answer ended. */
  readonly aborted: Promise<void>;
}

export type Script = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** An OpenAI-compatible server on loopback that answers as it is told to. */
export interface FakeProvider {
  /** With its version path, as `OPENAI_BASE_URL` takes it. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  answerWith(script: Script): void;
  /** The next request that arrives, or the one after those already taken. */
  nextRequest(): Promise<ReceivedRequest>;
  /** Resolves once so many requests have arrived in all. */
  whenRequested(count: number): Promise<void>;
  /** The first request that is looked for, once it has arrived. */
  requestWhere(isSought: (request: ReceivedRequest) => boolean): Promise<ReceivedRequest>;
  close(): Promise<void>;
}

export async function startFakeProvider(script: Script = completion()): Promise<FakeProvider> {
  let current = script;
  const requests: ReceivedRequest[] = [];
  let taken = 0;
  const arrivals = new EventEmitter();
  // Each test that waits adds one.
  arrivals.setMaxListeners(0);
  const whenRequested = async (count: number): Promise<void> => {
    while (requests.length < count) await once(arrivals, 'request');
  };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const body = bytes.toString();
      const aborted = new Promise<void>((resolve) =>
        response.on('close', () => (response.writableFinished ? undefined : resolve())),
      );
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body,
        bytes,
        // Forms are left as they are.
        json: body.startsWith('{') ? JSON.parse(body) : {},
        aborted,
      };
      requests.push(request);
      arrivals.emit('request');
      void current(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    answerWith: (next) => {
      current = next;
    },
    nextRequest: async () => {
      await whenRequested(taken + 1);
      const request = requests[taken++];
      if (request === undefined) throw new Error('no request');
      return request;
    },
    whenRequested,
    requestWhere: async (isSought) => {
      for (;;) {
        const found = requests.find(isSought);
        if (found !== undefined) return found;
        await once(arrivals, 'request');
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const usage = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

/** A whole, unstreamed answer; members given replace those of the usual one. */
export function completion(members: Record<string, unknown> = {}): Script {
  const answer = {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_795_000_000,
    model: 'fake-model',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello from the provider', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
    ...members,
  };
  return json(200, answer);
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  return (_request, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
  };
}

/** An error in OpenAI's form. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Script {
  return json(status, { error: { message, type: 'some_error', param: null, code: 'some_code' } }, headers);
}

/** A chunk in OpenAI's form, as an event. */
export function chunk(
  delta: Record<string, unknown>,
  finishReason: string | null = null,
  more: Record<string, unknown> = {},
): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'fake-model', choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], ...more })}\n\n`;
}

/** OpenAI's whole stream of these texts: every chunk says `usage: null`, one more says the usage, when it was asked for. */
export function streamEvents(texts: readonly string[], withUsage: boolean): string[] {
  const more = withUsage ? { usage: null } : {};
  const events = [
    chunk({ role: 'assistant', content: '' }, null, more),
    ...texts.map((text) => chunk({ content: text }, null, more)),
    chunk({}, 'stop', more),
  ];
  if (withUsage)
    events.push(
      `data: ${JSON.stringify({ id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'fake-model', choices: [], usage })}\n\n`,
    );
  return [...events, 'data: [DONE]\n\n'];
}

/** Streams texts the way OpenAI does. */
export function stream(texts: readonly string[]): Script {
  return (request, response) => {
    const options = request.json.stream_options;
    const withUsage =
      typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of streamEvents(texts, withUsage)) response.write(event);
    response.end();
  };
}

/** Writes these pieces as they are, each in a packet of its own, then `end`s, `cut`s the socket, or `hang`s. */
export function pieces(
  parts: readonly (string | Buffer)[],
  then: 'end' | 'cut' | 'hang',
  contentType = 'text/event-stream',
): Script {
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.socket?.setNoDelay(true);
    for (const part of parts) {
      response.write(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (then === 'end') response.end();
    if (then === 'cut') response.socket?.destroy();
  };
}

/** Takes the request and says nothing, ever. */
export const silence: Script = () => undefined;
