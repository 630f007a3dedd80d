import { systemClock } from '../../calendar/clock.ts';
import type { Environment } from '../../config/environment.ts';
import { redisSettings } from '../../config/redis/redis-settings.ts';
import { redactError } from '../../database/error-serializer.ts';
import { RedisNode, type RedisCommand } from '../../storage/redis/redis-node.ts';
import { addressText, type RedisAddress, type RedisServers } from '../../storage/redis/redis-servers.ts';
import { clockSkew } from './clock-skew.ts';
import { fault, found, type Finding } from './finding.ts';
import { permissionFindings } from './redis-permissions.ts';
import { isNotPermitted, primariesOf, topologyFindings } from './redis-topology.ts';

const SUBJECT = 'Redis';
const TIMEOUT_MS = 5_000;
const MIN_VERSION: readonly [number, number] = [6, 2];

/** The Redis or Valkey servers that instances share their state through. Leaves no key. */
export async function checkRedis(environment: Environment): Promise<readonly Finding[]> {
  const { REDIS_URL: url } = environment;
  if (url === undefined)
    return [found(SUBJECT, 'unused', 'REDIS_URL is not set: one instance, whose limits and cache are in memory')];
  const servers = redisSettings(environment, url);
  try {
    const primaries = await primariesOf(servers);
    const findings: Finding[] = [...(await topologyFindings(servers, primaries))];
    for (const primary of primaries) findings.push(...(await serverFindings(servers, primary)));
    return [...findings, ...(await permissionFindings(servers, primaries))];
  } catch (error) {
    const [{ host, port }] = servers.hosts;
    return [unusable(servers.kind === 'standalone' ? addressText({ host, port }) : '', error)];
  }
}

async function serverFindings(servers: RedisServers, address: RedisAddress): Promise<Finding[]> {
  const name = addressText(address);
  const at = servers.kind === 'standalone' ? '' : `${name}: `;
  const node = new RedisNode(address, { servers, once: true });
  const send = (...command: RedisCommand): Promise<unknown> => node.send(command, { timeoutMs: TIMEOUT_MS });
  /** Null where the user may not: only this check needs it. */
  const optional = (...command: RedisCommand): Promise<unknown> =>
    send(...command).catch((error: unknown) => {
      if (isNotPermitted(error)) return null;
      throw error;
    });
  try {
    await node.connect();
    const started = systemClock.monotonic();
    await optional('PING');
    const took = systemClock.monotonic() - started;
    const info = await optional('INFO');
    const sent = systemClock.now();
    const time = await optional('TIME');
    const clock =
      time === null ? [] : [clockSkew('Redis', { theirs: timeOf(time), sent, received: systemClock.now() })];
    const state =
      info === null
        ? [found(SUBJECT, 'ok', `${at}answers in ${took.toFixed(1)} ms`)]
        : infoFindings(String(info), took, at);
    return [...state, ...clock];
  } catch (error) {
    return [unusable(name, error)];
  } finally {
    node.close();
  }
}

function unusable(name: string, error: unknown): Finding {
  const redacted = redactError(error);
  const reason = redacted instanceof Error ? redacted.message : String(redacted);
  return fault(
    SUBJECT,
    'failed',
    `${name === '' ? 'REDIS_URL' : `${name} (REDIS_URL)`} could not be used: ${reason}`,
    'Check that Redis runs, that this machine may reach it, and the user, the password and the certificates. Keys with a budget get 503 without it.',
  );
}

function infoFindings(info: string, tookMs: number, at: string): Finding[] {
  const member = (name: string): string | null => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
  const name = member('valkey_version') === null ? 'Redis' : 'Valkey';
  const version = member('valkey_version') ?? member('redis_version') ?? '';
  const [major = 0, minor = 0] = (member('redis_version') ?? version).split('.').map(Number);
  const findings: Finding[] = [];
  if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1]))
    findings.push(
      fault(SUBJECT, 'failed', `${at}${name} ${version} is too old`, 'Upgrade it to Redis 6.2, or to Valkey.'),
    );
  if (member('role') === 'slave')
    findings.push(
      fault(SUBJECT, 'failed', `${at}it is a read-only replica`, 'Set REDIS_URL to the address of the primary server.'),
    );
  const policy = member('maxmemory_policy');
  if (policy !== null && policy !== 'noeviction' && member('maxmemory') !== '0')
    findings.push(
      fault(
        SUBJECT,
        'warning',
        `${at}its maxmemory-policy is ${policy}: with a full memory it forgets limits and budgets`,
        'Set maxmemory-policy to noeviction, and give the response cache a server of its own (cache.redis in sluice.yaml).',
      ),
    );
  findings.push(found(SUBJECT, 'ok', `${at}${name} ${version}, answers in ${tookMs.toFixed(1)} ms`));
  return findings;
}

/** @param reply seconds and microseconds */
function timeOf(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  return (seconds ?? 0) * 1_000 + (microseconds ?? 0) / 1_000;
}
