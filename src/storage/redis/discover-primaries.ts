import { systemClock } from '../../calendar/clock.ts';
import { parseSlots, SLOT_COUNT, type SlotRange } from './cluster-slots.ts';
import { RedisNode, type RedisCommand } from './redis-node.ts';
import { addressText, type RedisAddress, type RedisServers } from './redis-servers.ts';

const TIMEOUT_MS = 1_000;

/**
 * Finds which servers are primaries, and of which slots.
 * @param known further servers of a cluster
 * @param turn a number that differs at each call: it decides who is asked first, since a server may be wrong
 * @throws AggregateError if no one replies with any
 */
export async function discoverPrimaries(
  servers: RedisServers,
  known: readonly RedisAddress[] = [],
  turn = 0,
): Promise<readonly SlotRange[]> {
  const [first] = servers.hosts;
  if (servers.kind === 'standalone') return [{ first: 0, last: SLOT_COUNT - 1, primary: first }];
  // Sentinels' credentials are for Sentinels only.
  const all = servers.kind === 'cluster' ? [...known, ...servers.hosts] : servers.hosts;
  const candidates = [...new Map(all.map((each) => [addressText(each), each])).values()];
  const errors: unknown[] = [];
  for (const at of candidates.keys()) {
    const address = candidates[(at + turn) % candidates.length];
    if (address === undefined) continue;
    try {
      return await (servers.kind === 'sentinel' ? askSentinel : askNode)(servers, address);
    } catch (error) {
      errors.push(new Error(`${addressText(address)}: ${textOf(error)}`, { cause: error }));
    }
  }
  const who = servers.kind === 'sentinel' ? 'Sentinel' : 'node of the cluster';
  throw new AggregateError(errors, `No ${who} named a primary: ${errors.map(textOf).join('; ')}`);
}

async function askSentinel(servers: RedisServers, address: RedisAddress): Promise<SlotRange[]> {
  const command = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', servers.primaryName];
  const reply = await ask(servers, address, command);
  if (!Array.isArray(reply)) throw new Error(`no primary is known by the name \`${servers.primaryName}\``);
  const [host, port] = reply.map(String);
  return [{ first: 0, last: SLOT_COUNT - 1, primary: { host: host ?? '', port: Number(port) } }];
}

async function askNode(servers: RedisServers, address: RedisAddress): Promise<SlotRange[]> {
  const ranges = parseSlots(await ask(servers, address, ['CLUSTER', 'SLOTS']), address.host);
  if (ranges.length === 0) throw new Error('the cluster has no slots');
  return ranges;
}

/** By a connection of its own, since the one for commands may be busy or lost. */
async function ask(servers: RedisServers, address: RedisAddress, command: RedisCommand): Promise<unknown> {
  const node = new RedisNode(address, { servers, once: true, isSentinel: servers.kind === 'sentinel' });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = systemClock.setTimeout(() => reject(new Error(`no response within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  try {
    return await Promise.race([node.connect().then(() => node.send(command)), late]);
  } finally {
    timer.cancel();
    node.close();
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
