import { SLOT_COUNT } from '../../storage/redis/cluster-slots.ts';
import { discoverPrimaries } from '../../storage/redis/discover-primaries.ts';
import { RedisNode } from '../../storage/redis/redis-node.ts';
import { addressText, type RedisAddress, type RedisServers } from '../../storage/redis/redis-servers.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Redis';
const TIMEOUT_MS = 5_000;

/** A primary and some of its slots. */
export interface Primary extends RedisAddress {
  readonly first: number;
  readonly last: number;
}

/** Each once. @throws if none is known */
export async function primariesOf(servers: RedisServers): Promise<readonly Primary[]> {
  const ranges = await discoverPrimaries(servers);
  const all = ranges.map(({ first, last, primary }): Primary => ({ ...primary, first, last }));
  return [...new Map(all.map((primary) => [addressText(primary), primary])).values()];
}

/** What servers there are, and which of the configured ones do not respond. */
export async function topologyFindings(servers: RedisServers, primaries: readonly Primary[]): Promise<Finding[]> {
  if (servers.kind === 'standalone') return [];
  const silent = await unreachable(servers);
  const findings = silent.map(({ address, reason }) =>
    fault(
      SUBJECT,
      'warning',
      `${servers.kind === 'sentinel' ? 'the Sentinel ' : ''}${addressText(address)} does not respond: ${reason}`,
      'Start it, or remove it from REDIS_URL. With few left, a failover may not be noticed.',
    ),
  );
  if (servers.kind === 'cluster') return [await clusterFinding(servers, primaries), ...findings];
  const [primary] = primaries;
  const sentinels = servers.hosts.length - silent.length;
  const text = `Sentinel: ${sentinels} of ${servers.hosts.length} respond; ${servers.primaryName} is ${primary ? addressText(primary) : 'unknown'}`;
  return [found(SUBJECT, 'ok', text), ...findings];
}

export function isNotPermitted(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOPERM');
}

async function clusterFinding(servers: RedisServers, primaries: readonly Primary[]): Promise<Finding> {
  const names = primaries.map((primary) => addressText(primary)).join(', ');
  const count = `${primaries.length} ${primaries.length === 1 ? 'primary' : 'primaries'}`;
  for (const primary of primaries) {
    const info = await ask(servers, primary, ['CLUSTER', 'INFO']).catch((error: unknown) => error);
    if (isNotPermitted(info)) return found(SUBJECT, 'ok', `cluster of ${count}: ${names}`);
    if (info instanceof Error) continue;
    const member = (name: string): string => new RegExp(`^${name}:(\\S*)`, 'm').exec(String(info))?.[1] ?? '';
    if (member('cluster_state') === 'ok') return found(SUBJECT, 'ok', `cluster of ${count}: ${names}`);
    const missing = SLOT_COUNT - Number(member('cluster_slots_ok'));
    return fault(
      SUBJECT,
      'failed',
      `the cluster is down (cluster_state:${member('cluster_state')}), ${missing} of ${SLOT_COUNT} slots have no primary`,
      'Start the servers that are missing, or promote their replicas: `redis-cli --cluster check`. Until then accounts in these slots count limits per process, and keys with a budget get 503.',
    );
  }
  return fault(
    SUBJECT,
    'failed',
    `none of the ${count} responds: ${names}`,
    'Check that this machine may reach the addresses that the nodes announce (cluster-announce-ip).',
  );
}

async function unreachable(servers: RedisServers): Promise<{ address: RedisAddress; reason: string }[]> {
  const asked = servers.hosts.map(async (address) => {
    try {
      await ask(servers, address, ['PING']);
      return [];
    } catch (error) {
      if (isNotPermitted(error)) return [];
      return [{ address, reason: error instanceof Error ? error.message : String(error) }];
    }
  });
  return (await Promise.all(asked)).flat();
}

/** A host of `REDIS_URL`, or a node of the cluster. */
async function ask(servers: RedisServers, address: RedisAddress, command: string[]): Promise<unknown> {
  const node = new RedisNode(address, { servers, once: true, isSentinel: servers.kind === 'sentinel' });
  try {
    await node.connect();
    return await node.send(command, { timeoutMs: TIMEOUT_MS });
  } finally {
    node.close();
  }
}
