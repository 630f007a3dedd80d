import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.dispose());

const init = () => ({ type: 'connection_init', payload: { authorization: `Bearer ${server.apiKey}` } });

function openSocket(): WebSocket {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.once('open', () => socket.send(JSON.stringify(init())));
  return socket;
}

/** The first message of a socket. @throws when it fails or closes before, with the code */
function firstMessage(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.once('message', (data) => resolve(JSON.parse(String(data))));
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
    socket.once('error', reject);
  });
}

async function acknowledgedSocket(): Promise<WebSocket> {
  const socket = openSocket();
  expect(await firstMessage(socket)).toEqual({ type: 'connection_ack' });
  return socket;
}

/** Opens them in groups: the queue of a listening server is shorter than all of them. */
async function acknowledgedSockets(count: number): Promise<WebSocket[]> {
  const opened: WebSocket[] = [];
  while (opened.length < count) {
    const group = Math.min(100, count - opened.length);
    opened.push(...(await Promise.all(numbers(group).map(() => acknowledgedSocket()))));
  }
  return opened;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a caller', () => {
  it('may have 2,000 sockets, and again when one has closed', async () => {
    const opened = await acknowledgedSockets(2_000);
    await expect(firstMessage(openSocket())).rejects.toThrow('closed with 4429');
    expect(opened.filter((socket) => socket.readyState !== WebSocket.OPEN)).toEqual([]);
    const [first] = opened;
    first?.close();
    if (first) await once(first, 'close');
    const again = await acknowledgedSocket();
    for (const socket of [...opened, again]) socket.terminate();
  });
});

describe('a socket', () => {
  it('carries a hundred operations, and refuses ten thousand one by one', async () => {
    const socket = await acknowledgedSocket();
    const said: { type: string; id?: string; payload?: { extensions: { code: string } }[] }[] = [];
    const all = new Promise<void>((resolve) => {
      let refused = 0;
      socket.on('message', (data) => {
        const message: (typeof said)[number] = JSON.parse(String(data));
        said.push(message);
        if (message.type === 'error' && ++refused === 9_900) resolve();
      });
    });
    const payload = { query: 'subscription { budgetAlerts { percent } }' };
    for (const n of numbers(10_000)) socket.send(JSON.stringify({ type: 'subscribe', id: `s${n}`, payload }));
    await all;
    const errors = said.filter(({ type }) => type === 'error');
    expect(new Set(errors.map((error) => error.payload?.[0]?.extensions.code))).toEqual(
      new Set(['operation_too_large']),
    );
    expect(errors.map(({ id }) => id)).not.toContain('s99');
    const answered = new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)).type)));
    socket.send(JSON.stringify({ type: 'complete', id: 's0' }));
    socket.send(JSON.stringify({ type: 'subscribe', id: 'again', payload: { query: '{ viewer { role } }' } }));
    expect(await answered).toBe('next');
    socket.close();
  });
});
