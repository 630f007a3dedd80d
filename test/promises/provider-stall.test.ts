import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { chunk, pieces, silence, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../harness/gateway.ts';
import { medianOf } from './median.ts';

const LIMIT_MS = 500;

let provider: FakeProvider;
/** Takes connections and never answers a TLS handshake. */
let mute: Server;
let gateway: TestGateway;
const sockets: Socket[] = [];
/** When the last attempt reached the provider: one that stalled may be tried again. */
let lastAttemptAt: number;

beforeAll(async () => {
  provider = await startFakeProvider();
  mute = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
    lastAttemptAt = performance.now();
  }).listen(0, '127.0.0.1');
  await once(mute, 'listening');
});

afterEach(() => gateway.close());

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  mute.close();
  await provider.close();
});

/** How long after the limit of the last attempt an error came; the whole of what came. */
async function stalled(stream: boolean): Promise<{ lateMs: number; text: string }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1-mini', stream, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const text = await response.text();
  return { lateMs: performance.now() - lastAttemptAt - LIMIT_MS, text };
}

const toProvider = (timeouts: GatewayOptions['timeouts']) => (): GatewayOptions => ({ openai: provider.url, timeouts });

it.each([
  [
    'while it connects',
    true,
    silence,
    (): GatewayOptions => {
      const address = mute.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      return { providers: { openai: { baseUrl: `https://127.0.0.1:${port}/v1`, connectTimeoutMs: LIMIT_MS } } };
    },
  ],
  ['before an unstreamed answer', false, silence, toProvider({ answer: LIMIT_MS })],
  ['before the headers of a stream', true, silence, toProvider({ headers: LIMIT_MS })],
  ['before the first token', true, pieces([''], 'hang'), toProvider({ firstToken: LIMIT_MS })],
  ['between chunks', true, pieces([chunk({ content: 'One' })], 'hang'), toProvider({ betweenChunks: LIMIT_MS })],
])('sends an error within 1 s of the limit when a provider stalls %s', async (_when, stream, script, options) => {
  provider.answerWith((request, response) => {
    lastAttemptAt = performance.now();
    return script(request, response);
  });
  gateway = await startGateway(options());
  const median = await medianOf(async () => {
    const { lateMs, text } = await stalled(stream);
    expect(text).toMatch(/"code": ?"provider_(timeout|unreachable|unavailable)"/);
    return lateMs;
  });
  expect(median).toBeLessThan(1_000);
});
