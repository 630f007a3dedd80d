import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serializeError } from '../../../src/database/error-serializer.ts';
import { redisSettings } from '../../../src/config/redis/redis-settings.ts';
import { discoverPrimaries } from '../../../src/storage/redis/discover-primaries.ts';
import { RedisConnection } from '../../../src/storage/redis/redis-connection.ts';
import { RedisNode } from '../../../src/storage/redis/redis-node.ts';
import { RedisSubscriber } from '../../../src/storage/redis/redis-subscriber.ts';

/** As a server before Redis 6 answers, which does not know `HELLO`. */
const REPLY = "-ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'default' 'secret' \r\n";
let server: Server;
let host: string;

beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(REPLY));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  host = `127.0.0.1:${Object(address).port}`;
});
afterEach(() => server.close());

function expectSafe(error: unknown): void {
  expect(error).toBeInstanceOf(Error);
  const text = JSON.stringify(serializeError(error));
  expect(text).toContain("unknown command 'HELLO'");
  expect(text).not.toContain('secret');
}

function servers(kind = 'redis') {
  return redisSettings({}, `${kind}://:secret@${host}`);
}

it('are not in the errors of a connection that is not repeated', async () => {
  const node = new RedisNode(servers().hosts[0], { servers: servers(), once: true });
  expectSafe(await node.connect().catch((error: unknown) => error));
});

it('are not in the errors that stores log', async () => {
  const failed = Promise.withResolvers<Error>();
  const connection = new RedisConnection({ servers: servers(), onError: failed.resolve });
  void connection.open();
  expectSafe(await failed.promise);
  connection.close();
});

it('are not in the errors of a subscriber', async () => {
  const failed = Promise.withResolvers<Error>();
  const subscriber = new RedisSubscriber({ servers: servers(), onError: failed.resolve });
  subscriber.open();
  expectSafe(await failed.promise);
  subscriber.close();
});

it('are not in the error where no node of a cluster responds as one', async () => {
  expectSafe(await discoverPrimaries(servers('redis+cluster')).catch((error: unknown) => error));
});
