import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { SluiceError } from '../../../../src/errors/index.ts';
import type { TurnRequest } from '../../../../src/gateway/capabilities/responses/socket/turn-request.ts';
import { ClientSocket } from '../../../../src/rest/responses/socket/client-socket.ts';
import { ResponseSession } from '../../../../src/rest/responses/socket/response-session.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const HOUR_MS = 60 * 60_000;
const PING_MS = 20_000;

let http: Server;
let clock: FakeClock;
let client: WebSocket;
let accepted: WebSocket;
let session: ResponseSession;
let errors: SluiceError[];
let started: TurnRequest[];
let ends: (() => void)[];
let endedStreams: number;
const begun = new EventEmitter();

beforeEach(async () => {
  http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  clock = new FakeClock();
  [errors, started, ends, endedStreams] = [[], [], [], 0];
  const server = new WebSocketServer({ server: http });
  const connected = once(server, 'connection');
  const address = http.address() as AddressInfo;
  client = new WebSocket(`ws://127.0.0.1:${address.port}`);
  const [[socket]] = await Promise.all([connected, once(client, 'open')]);
  accepted = socket;
  session = new ResponseSession(new ClientSocket(socket, 'http://sluice.test', clock), socket, {
    clock,
    run: (turn) =>
      new Promise((resolve) => {
        started.push(turn);
        ends.push(resolve);
        begun.emit('begun');
      }),
    reject(error) {
      errors.push(error);
      begun.emit('rejected');
    },
    onStreamEnd: () => endedStreams++,
    onClose: () => undefined,
  });
});
afterEach(async () => {
  client.terminate();
  if (accepted.readyState !== accepted.CLOSED) await once(accepted, 'close');
  http.close();
});

async function send(members: object = {}, event = 'begun'): Promise<void> {
  const seen = once(begun, event);
  client.send(JSON.stringify({ type: 'response.create', ...members }));
  await seen;
}

/** An hour but for this long, in which the client answers each ping. */
async function passHour(restMs: number): Promise<void> {
  for (let passed = PING_MS; passed < HOUR_MS; passed += PING_MS) {
    const answered = once(accepted, 'pong');
    clock.advance(PING_MS);
    await answered;
  }
  clock.advance(PING_MS - restMs);
}

it('closes an idle socket after an hour', async () => {
  const closed = once(client, 'close');
  const message = once(client, 'message');
  await passHour(1);
  expect(client.readyState).toBe(client.OPEN);
  clock.advance(1);
  const [data] = await message;
  expect(JSON.parse(String(data))).toMatchObject({
    type: 'error',
    status: 400,
    error: { code: 'websocket_connection_limit_reached' },
  });
  expect((await closed)[0]).toBe(1000);
});

it('ends the running request of a socket that is an hour old, and refuses others', async () => {
  await send();
  await passHour(0);
  await send({}, 'rejected');
  expect(errors[0]?.code).toBe('websocket_connection_limit_reached');
  expect(client.readyState).toBe(client.OPEN);
  const closed = once(client, 'close');
  ends[0]?.();
  expect((await closed)[0]).toBe(1000);
  expect(started).toHaveLength(1);
});

it('refuses what waits when it is stopped', async () => {
  await send({ model: 'first' });
  client.send(JSON.stringify({ type: 'response.create', model: 'second' }));
  await send({ type: 'other' }, 'rejected');
  session.stop();
  const closed = once(client, 'close');
  ends[0]?.();
  expect((await closed)[0]).toBe(1001);
  expect(errors.map(({ code }) => code)).toEqual(['invalid_value', 'shutting_down']);
});

it('bounds the streams and what waits in one', async () => {
  for (let index = 0; index < 16; index++) await send({ stream_id: `s${index}` });
  await send({ stream_id: 's16' }, 'rejected');
  expect(errors[0]).toMatchObject({ code: 'websocket_stream_limit_reached', param: 'stream_id' });
  for (let index = 0; index < 16; index++)
    client.send(JSON.stringify({ type: 'response.create', stream_id: 's0', index }));
  await send({ stream_id: 's0' }, 'rejected');
  expect(errors[1]?.code).toBe('websocket_stream_limit_reached');
  // A stream that is idle gives way.
  ends[1]?.();
  await send({ stream_id: 's16' });
  expect(endedStreams).toBe(1);
});

it('closes a socket whose client answers no ping', async () => {
  client.pause();
  const closed = once(client, 'close');
  clock.advance(PING_MS);
  clock.advance(PING_MS);
  client.resume();
  expect((await closed)[0]).toBe(1006);
});
