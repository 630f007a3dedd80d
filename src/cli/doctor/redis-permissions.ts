import { deniedCommands, permissionKey } from '../../storage/redis/permissions.ts';
import type { RedisAddress, RedisServers } from '../../storage/redis/redis-servers.ts';
import { slotOf } from '../../storage/redis/cluster-slots.ts';
import { fault, type Finding } from './finding.ts';
import type { Primary } from './redis-topology.ts';

/** What the user of `REDIS_URL` may not do. */
export async function permissionFindings(servers: RedisServers, primaries: readonly Primary[]): Promise<Finding[]> {
  const missing = new Map<string, RedisAddress>();
  for (const primary of primaries) {
    // A server that is unavailable has been reported.
    const denied = await deniedCommands(servers, primary, keyOf(primary)).catch(() => []);
    for (const command of denied) missing.set(command, primary);
  }
  if (missing.size === 0) return [];
  const user = servers.credentials.username ?? 'default';
  return [
    fault(
      'Redis',
      'failed',
      `the user ${user} may not run ${[...missing.keys()].toSorted().join(', ')} (NOPERM)`,
      'Grant the permissions of docs/operations/redis.md to this user, on each server.',
    ),
  ];
}

/** One that the server has. */
function keyOf({ first, last }: Primary): string {
  for (;;) {
    const key = permissionKey();
    const slot = slotOf(key);
    if (slot >= first && slot <= last) return key;
  }
}
