import { connect } from 'node:net';
import type { buildConnector } from 'undici';
import type { Connection, ConnectionSettings } from '../../../src/providers/contract.ts';
import { openConnection } from '../../../src/providers/registry.ts';
import { startFakeProvider, type ReceivedRequest } from '../../harness/fake-provider.ts';

/** A chat request at the provider's own base URL, which a fake provider receives. */
export async function requestAtOwnUrl(
  provider: string,
  settings: Partial<ConnectionSettings> = {},
): Promise<{ readonly host: string | undefined; readonly request: ReceivedRequest }> {
  const upstream = await startFakeProvider();
  const dial: buildConnector.connector = (_options, callback) => {
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => callback(null, socket));
  };
  const usual = { id: provider, apiKey: 'provider-key', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
  const connection = openConnection(provider, { ...usual, dial, ...settings });
  try {
    await chat(connection);
    const request = await upstream.nextRequest();
    return { host: request.headers.host, request };
  } finally {
    await connection.close();
    await upstream.close();
  }
}

function chat(connection: Connection): Promise<void> {
  const request = { messages: [{ role: 'user', content: 'Hello' }] } as const;
  const body = Buffer.from(JSON.stringify({ model: 'x', ...request }));
  return new Promise((resolve, reject) => {
    const context = { model: 'the-model', request, stream: false, wantsUsage: false, requestId: 'req_1' };
    connection.chat(
      { ...context, body, parameters: 'drop' },
      {
        onConnecting: () => undefined,
        onHead: () => undefined,
        onData: () => undefined,
        onParts: () => undefined,
        onResult: () => undefined,
        onEnd: resolve,
        onFailure: reject,
      },
    );
  });
}
