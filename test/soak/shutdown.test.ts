import { afterEach, expect, it } from 'vitest';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { slowSandbox } from '../harness/slow-sandbox.ts';

let server: ServerProcess;

afterEach(() => server.dispose());

/** By a connection of its own, as a load balancer checks. */
const readiness = async (): Promise<number> =>
  (await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } })).status;

function chat(content: string, stream = false): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model: 'sandbox/chat', stream, messages: [{ role: 'user', content }] }),
  });
}

it('is not ready on SIGTERM, and still accepts requests during the shutdown delay', async () => {
  server = await startServer({ SLUICE_SANDBOX: 'on', SLUICE_SHUTDOWN_DELAY_MS: '600000' });
  expect(await readiness()).toBe(200);
  void server.end('SIGTERM');
  await expect.poll(readiness).toBe(503);
  const response = await chat('Hello');
  expect(response.status).toBe(200);
  await response.text();
});

it('drains after the delay and exits without an error', async () => {
  server = await startServer({ SLUICE_SANDBOX: 'on', SLUICE_SHUTDOWN_DELAY_MS: '50' });
  expect(await server.end('SIGTERM')).toBe(0);
});

it('ends an open stream with an error event when the drain timeout is over', async () => {
  server = await startServer({ ...slowSandbox, SLUICE_DRAIN_TIMEOUT_MS: '50' });
  const reader = (await chat('Write a long story.', true)).body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('no stream');
  await reader.read();
  const ended = server.end('SIGTERM');
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  expect(text).toContain('"error"');
  expect(await ended).toBe(0);
});
