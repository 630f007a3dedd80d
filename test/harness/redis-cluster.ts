import { createClient } from '@redis/client';
import { delay, systemClock } from '../../src/calendar/clock.ts';
import { redisSettings } from '../../src/config/redis/redis-settings.ts';
import { slotOf } from '../../src/storage/redis/cluster-slots.ts';
import type { RedisServers } from '../../src/storage/redis/redis-servers.ts';
import { freePort } from './free-port.ts';
import { startRedisServer, type RedisProcess } from './redis.ts';

const SLOTS = 16_384;

export interface ClusterNode extends RedisProcess {
  readonly port: number;
  /** Runs a command. */
  ask(...words: string[]): Promise<unknown>;
}

export interface RunningCluster {
  readonly url: string;
  readonly servers: RedisServers;
  readonly nodes: readonly ClusterNode[];
  /** The node that first has the slot of a key. */
  ownerOf(key: string): ClusterNode;
  /** A node that replicates another, once it has its data. */
  addReplica(primary: ClusterNode): Promise<ClusterNode>;
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A cluster of three primaries. No node is suspected of a failure before a test has ended: failovers are by command, so that no
 * test depends on the clock.
 * @param settings of each node, such as `--appendonly yes`: without it, a killed one has lost its data, and not its slots
 */
export async function startCluster(settings: readonly string[] = []): Promise<RunningCluster> {
  const nodes = await Promise.all([0, 1, 2].map(() => startNode(settings)));
  const all = [...nodes];
  const share = Math.ceil(SLOTS / nodes.length);
  const firstOf = (at: number): number => at * share;
  for (const [at, node] of nodes.entries()) {
    const last = Math.min(SLOTS, firstOf(at + 1)) - 1;
    await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
    await node.ask('CLUSTER', 'ADDSLOTSRANGE', String(firstOf(at)), String(last));
  }
  const [first] = nodes;
  if (first === undefined) throw new Error('The cluster has no node.');
  for (const node of nodes.slice(1)) await meet(first, node);
  for (const node of nodes) await whenKnowing(node, nodes.length);
  const url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  return {
    url,
    servers: redisSettings({}, url),
    nodes,
    ownerOf: (key) => {
      const node = nodes[Math.floor(slotOf(key) / share)];
      if (node === undefined) throw new Error('No node has this slot.');
      return node;
    },
    addReplica: async (primary) => {
      const node = await startNode(settings);
      all.push(node);
      await meet(primary, node);
      const id = String(await primary.ask('CLUSTER', 'MYID'));
      await until(async () => String(await node.ask('CLUSTER', 'NODES')).includes(id));
      await node.ask('CLUSTER', 'REPLICATE', id);
      await until(async () => String(await node.ask('INFO', 'replication')).includes('master_link_status:up'));
      for (const each of nodes) await whenKnowing(each, all.length);
      return node;
    },
    empty: async () => void (await Promise.all(nodes.map((node) => node.ask('FLUSHALL').catch(() => null)))),
    stop: async () => {
      for (const node of all) await node.stop();
    },
  };
}

async function startNode(more: readonly string[]): Promise<ClusterNode> {
  const [port, busPort] = [await freePort(), await freePort()];
  const settings = {
    port: String(port),
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-node-timeout': '600000',
    'cluster-config-file': `nodes-${port}.conf`,
    'cluster-allow-replica-migration': 'no',
    'repl-diskless-sync-delay': '0',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = await startRedisServer([...words, ...more]);
  const ask = (...words: string[]): Promise<unknown> => askServer(`redis://127.0.0.1:${port}`, words);
  busPorts.set(port, busPort);
  return { ...server, port, ask };
}

const busPorts = new Map<number, number>();

async function meet(one: ClusterNode, other: ClusterNode): Promise<void> {
  await one.ask('CLUSTER', 'MEET', '127.0.0.1', String(other.port), String(busPorts.get(other.port)));
}

async function whenKnowing(node: ClusterNode, count: number): Promise<void> {
  await until(async () => {
    const info = String(await node.ask('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}\r`);
  });
}

/** Also in hooks, where `expect.poll` is not available. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(systemClock, 20);
}

/** Waits until a replica has all that its primary was sent. */
export async function whenReplicated(
  primary: Pick<ClusterNode, 'ask'>,
  replica: Pick<ClusterNode, 'ask'>,
): Promise<void> {
  const offset = async (node: Pick<ClusterNode, 'ask'>, name: string): Promise<number> =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(String(await node.ask('INFO', 'replication')))?.[1]);
  const sent = await offset(primary, 'master_repl_offset');
  await until(async () => (await offset(replica, 'slave_repl_offset')) >= sent);
}

/** By a connection of its own. */
export async function askServer(url: string, words: readonly string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand([...words]);
  } finally {
    client.destroy();
  }
}
