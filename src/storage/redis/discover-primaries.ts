import { systemClock } from '../../calendar/clock.ts';
import { parseSlots, SLOT_COUNT, type SlotRange } from './cluster-slots.ts';
import { RedisNode, type RedisCommand } from './redis-node.ts';
import { addressText, type RedisAddress, type RedisServers } from './redis-servers.ts';

const TIMEOUT_MS = 1_000;
/** Short: while a primary does not respond, another one is looked for at least once per second. */
const ROLE_TIMEOUT_MS = 400;

/** A server that a Sentinel named, and that is a replica. */
export class NotPrimaryError extends Error {
  readonly address: RedisAddress;

  constructor(address: RedisAddress, role: string) {
    super(`it named ${addressText(address)}, whose role is ${role}`);
    this.name = 'NotPrimaryError';
    this.address = address;
  }
}

/**
 * Finds which servers are primaries, and of which slots. A Sentinel that was cut off may name a former primary, so the server that
 * it names is asked for its role. One that does not respond is only returned where no Sentinel names a better one.
 * @param known further servers of a cluster
 * @param turn a number that differs at each call: it decides who is asked first, since a server may be wrong
 * @throws AggregateError if no one replies with any; its errors have the reasons as `cause`, which may be NotPrimaryError
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
  let unverified: readonly SlotRange[] | null = null;
  for (const at of candidates.keys()) {
    const address = candidates[(at + turn) % candidates.length];
    if (address === undefined) continue;
    try {
      if (servers.kind === 'cluster') return await askNode(servers, address);
      const primary = await askSentinel(servers, address);
      const ranges = [{ first: 0, last: SLOT_COUNT - 1, primary }];
      const isKnownSilent = unverified?.some((each) => addressText(each.primary) === addressText(primary)) === true;
      if (!isKnownSilent && (await isPrimary(servers, primary))) return ranges;
      unverified ??= ranges;
    } catch (error) {
      errors.push(new Error(`${addressText(address)}: ${textOf(error)}`, { cause: error }));
    }
  }
  if (unverified !== null) return unverified;
  const who = servers.kind === 'sentinel' ? 'Sentinel' : 'node of the cluster';
  throw new AggregateError(errors, `No ${who} named a primary: ${errors.map(textOf).join('; ')}`);
}

async function askSentinel(servers: RedisServers, address: RedisAddress): Promise<RedisAddress> {
  const command = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', servers.primaryName];
  const reply = await ask(servers, address, command, { isSentinel: true });
  if (!Array.isArray(reply)) throw new Error(`no primary is known by the name \`${servers.primaryName}\``);
  const [host, port] = reply.map(String);
  return { host: host ?? '', port: Number(port) };
}

/** @returns whether it says so; false where it does not respond @throws NotPrimaryError */
async function isPrimary(servers: RedisServers, address: RedisAddress): Promise<boolean> {
  let reply: unknown;
  try {
    reply = await ask(servers, address, ['ROLE'], { timeoutMs: ROLE_TIMEOUT_MS });
  } catch (error) {
    // Users of earlier versions may lack the permission.
    return error instanceof Error && error.message.startsWith('NOPERM');
  }
  const role = String(Array.isArray(reply) ? reply[0] : reply);
  if (role !== 'master') throw new NotPrimaryError(address, role);
  return true;
}

async function askNode(servers: RedisServers, address: RedisAddress): Promise<SlotRange[]> {
  const ranges = parseSlots(await ask(servers, address, ['CLUSTER', 'SLOTS']), address.host);
  if (ranges.length === 0) throw new Error('the cluster has no slots');
  return ranges;
}

/** By a connection of its own, since the one for commands may be busy or lost. */
async function ask(
  servers: RedisServers,
  address: RedisAddress,
  command: RedisCommand,
  { isSentinel = false, timeoutMs = TIMEOUT_MS } = {},
): Promise<unknown> {
  const node = new RedisNode(address, { servers, once: true, isSentinel });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = systemClock.setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
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
