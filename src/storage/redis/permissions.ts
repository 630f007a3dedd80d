import { randomUUID } from 'node:crypto';
import { RedisNode, type RedisCommand } from './redis-node.ts';
import { RedisSubscriber } from './redis-subscriber.ts';
import type { RedisAddress, RedisServers } from './redis-servers.ts';

/** By what Redis 6.2, 7 and Valkey call it. */
const denied = /NOPERM|no permissions|can't run this command|can't access/i;
const TIMEOUT_MS = 5_000;

/** Runs each command of ARGV[1] on the key, deletes it, and returns the names of those that are not permitted. */
const SCRIPT = `
local refused = {}
for _, words in ipairs(cjson.decode(ARGV[1])) do
  local reply = redis.pcall(unpack(words))
  if type(reply) == 'table' and reply.err then refused[#refused + 1] = words[1] .. ' ' .. reply.err end
end
redis.pcall('DEL', KEYS[1])
return refused`;

/** Commands that the stores send, each harmless on a key that is missing. */
function commandsOn(key: string): Record<string, RedisCommand> {
  return {
    evalsha: ['EVALSHA', '0'.repeat(40), '1', key],
    get: ['GET', key],
    getex: ['GETEX', key, 'PX', '1'],
    set: ['SET', key, '1', 'XX', 'PX', '1'],
    exists: ['EXISTS', key],
    ping: ['PING'],
    publish: ['PUBLISH', `sluice:doctor:${key}`, '1'],
  };
}

/** Commands that scripts run. */
function scriptedOn(key: string): readonly (readonly string[])[] {
  return [
    ['del', key],
    ['time'],
    ['set', key, '1', 'XX', 'KEEPTTL'],
    ['get', key],
    ['hset', key, 'field', '1'],
    ['hmget', key, 'field'],
    ['hget', key, 'field'],
    ['hgetall', key],
    ['hkeys', key],
    ['hexists', key, 'field'],
    ['hincrby', key, 'field', '1'],
    ['hdel', key, 'field'],
    ['pexpire', key, '1000'],
    ['zadd', key, '1', 'member'],
    ['zscore', key, 'member'],
    ['zcard', key],
    ['zrangebyscore', key, '-inf', '0'],
    ['zremrangebyscore', key, '-inf', '0'],
    ['zrem', key, 'member'],
  ];
}

/** The commands that the user may not run on a server, of those that processes need. Leaves no key. */
export async function deniedCommands(servers: RedisServers, address: RedisAddress, key: string): Promise<string[]> {
  const node = new RedisNode(address, { servers, once: true });
  const found: string[] = [];
  try {
    await node.connect();
    const isDenied = (command: RedisCommand): Promise<boolean> =>
      node.send(command, { timeoutMs: TIMEOUT_MS }).then(
        () => false,
        (error: unknown) => denied.test(String(error)),
      );
    for (const [name, command] of Object.entries(commandsOn(key))) if (await isDenied(command)) found.push(name);
    if (servers.kind === 'cluster' && (await isDenied(['ASKING']))) found.push('asking');
    if (servers.kind === 'sentinel' && (await isDenied(['ROLE']))) found.push('role');
    const scripted = await node
      .send(['EVAL', SCRIPT, '1', key, JSON.stringify(scriptedOn(key))], { timeoutMs: TIMEOUT_MS })
      .catch((error: unknown) => error);
    const refused = Array.isArray(scripted) ? scripted.map(String).filter((text) => denied.test(text)) : [];
    found.push(...refused.map((text) => text.split(' ')[0] ?? ''));
    if (scripted instanceof Error && denied.test(scripted.message)) found.push('eval');
  } finally {
    node.close();
  }
  if (!(await canSubscribe(servers))) found.push('subscribe');
  return [...new Set(found)];
}

/** A key of Sluice, that no store uses. */
export function permissionKey(): string {
  return `sluice:doctor:${randomUUID()}`;
}

async function canSubscribe(servers: RedisServers): Promise<boolean> {
  const subscribed = Promise.withResolvers<boolean>();
  const subscriber = new RedisSubscriber({
    servers,
    onReady: () => subscribed.resolve(true),
    onError: (error) => subscribed.resolve(!denied.test(error.message)),
  });
  void subscriber.subscribe('sluice:doctor', () => undefined).catch(() => undefined);
  subscriber.open();
  try {
    return await subscribed.promise;
  } finally {
    subscriber.close();
  }
}
