import { expect, it } from 'vitest';
import { createClient } from '../../../src/storage/redis/redis-node.ts';

it('clients of all servers have one class, because building another takes milliseconds', () => {
  const [one, other] = [6379, 6380].map((port) => createClient({ socket: { host: '127.0.0.1', port } }));
  expect(one?.constructor).toBe(other?.constructor);
});
