import { createClient } from '@redis/client';
import { systemClock } from '../../calendar/clock.ts';
import type { Environment } from '../../config/environment.ts';
import { redactError } from '../../database/error-serializer.ts';
import { clockSkew } from './clock-skew.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Redis';
const TIMEOUT_MS = 5_000;
const MIN_VERSION: readonly [number, number] = [6, 2];

/** The Redis or Valkey server that processes share their state through. Writes nothing. */
export async function checkRedis({ REDIS_URL: url }: Environment): Promise<readonly Finding[]> {
  if (url === undefined)
    return [found(SUBJECT, 'unused', 'REDIS_URL is not set: one process, whose limits and cache are in memory')];
  const client = createClient({ url, socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false } });
  // Without a listener, an error ends the process. Commands report it, too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const started = systemClock.monotonic();
    await client.ping();
    const took = systemClock.monotonic() - started;
    const info = await client.info();
    const sent = systemClock.now();
    const theirs = timeOf(await client.sendCommand(['TIME']));
    const clock = clockSkew('Redis', { theirs, sent, received: systemClock.now() });
    return [...serverFindings(info, took), clock];
  } catch (error) {
    const { hostname, port } = new URL(url);
    const reason = redactError(error);
    return [
      fault(
        SUBJECT,
        'failed',
        `${hostname}:${port || '6379'} (REDIS_URL) could not be used: ${reason instanceof Error ? reason.message : String(reason)}`,
        'Check that Redis runs, that this machine may reach it, and the user and password in REDIS_URL. Keys with a budget get 503 without it.',
      ),
    ];
  } finally {
    client.destroy();
  }
}

function serverFindings(info: string, tookMs: number): Finding[] {
  const member = (name: string): string | null => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
  const name = member('valkey_version') === null ? 'Redis' : 'Valkey';
  const version = member('valkey_version') ?? member('redis_version') ?? '';
  const [major = 0, minor = 0] = (member('redis_version') ?? version).split('.').map(Number);
  const findings: Finding[] = [];
  if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1]))
    findings.push(fault(SUBJECT, 'failed', `${name} ${version} is too old`, 'Upgrade it to Redis 6.2, or to Valkey.'));
  if (member('role') === 'slave')
    findings.push(
      fault(SUBJECT, 'failed', 'it is a read-only replica', 'Set REDIS_URL to the address of the primary server.'),
    );
  const policy = member('maxmemory_policy');
  if (policy !== null && policy !== 'noeviction' && member('maxmemory') !== '0')
    findings.push(
      fault(
        SUBJECT,
        'warning',
        `its maxmemory-policy is ${policy}: with a full memory it forgets limits and budgets`,
        'Set maxmemory-policy to noeviction, and give the response cache a server of its own (cache.redis in sluice.yaml).',
      ),
    );
  findings.push(found(SUBJECT, 'ok', `${name} ${version}, answers in ${tookMs.toFixed(1)} ms`));
  return findings;
}

/** @param reply seconds and microseconds */
function timeOf(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  return (seconds ?? 0) * 1_000 + (microseconds ?? 0) / 1_000;
}
