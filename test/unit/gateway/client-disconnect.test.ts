import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectionSettings } from '../../../src/providers/contract.ts';
import { startFakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

const chat = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] };

/** Sends a request whose client disconnects once `until` resolves. @returns its usage record */
async function disconnect(
  settings: string | Partial<ConnectionSettings>,
  until: () => Promise<unknown>,
  {
    path = 'chat/completions',
    body = chat,
  }: { readonly path?: string; readonly body?: { readonly model: string } } = {},
) {
  const [provider = ''] = body.model.split('/');
  gateway = await startGateway({ providers: { [provider]: settings } });
  const client = new AbortController();
  const response = fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: client.signal,
  });
  await until();
  client.abort();
  await expect(response).rejects.toThrow('aborted');
  const [record] = await gateway.settledCount(1);
  return record;
}

describe('a request whose client disconnects', () => {
  it.each([
    ['that speaks the protocol of the client', {}],
    ['whose requests are translated', { body: { ...chat, model: 'anthropic/claude-sonnet-4-5' } }],
    ['behind a package', { body: { ...chat, model: 'cohere/command-a-03-2025' } }],
    ['of images', { path: 'images/generations', body: { model: 'openai/gpt-image-1', prompt: 'A cat' } }],
  ])('is not billed while a provider %s is being dialled', async (_which, request) => {
    const dialled = Promise.withResolvers<() => void>();
    const dial: ConnectionSettings['dial'] = (_options, callback) =>
      dialled.resolve(() => callback(new Error('unreachable'), null));
    const settings = { baseUrl: 'http://provider.test/v1', apiKey: 'key', dial };
    const record = await disconnect(settings, () => dialled.promise, request);
    (await dialled.promise)();
    expect(record).toMatchObject({ status: 'aborted', input_tokens: 0, output_tokens: 0, cost_nano: '0' });
    expect(record?.attempts ?? []).toEqual([]);
  });

  it('is billed for its input once it was sent', async () => {
    const provider = await startFakeProvider(() => undefined);
    try {
      const record = await disconnect(provider.url, () => provider.nextRequest());
      expect(record).toMatchObject({ status: 'aborted', output_tokens: 0 });
      expect(record?.input_tokens).toBeGreaterThan(0);
      expect(BigInt(record?.cost_nano ?? 0)).toBeGreaterThan(0n);
    } finally {
      await provider.close();
    }
  });

  it('is billed for its input once its bytes are on a socket, even if the provider has not read them', async () => {
    const server = createServer((socket) => void socket.pause()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const record = await disconnect(`http://127.0.0.1:${port}/v1`, async () => {
        const [socket] = await once(server, 'connection');
        await once(socket, 'readable');
      });
      expect(record?.input_tokens).toBeGreaterThan(0);
    } finally {
      server.close();
    }
  });
});
