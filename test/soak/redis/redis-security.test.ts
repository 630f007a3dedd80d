import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/calendar/clock.ts';
import { checkRedis } from '../../../src/cli/doctor/check-redis.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { redisSettings } from '../../../src/config/redis/redis-settings.ts';
import { boundsOf } from '../../../src/gateway/limits/limit-store.ts';
import { RedisLimitStore } from '../../../src/storage/limits/redis-limit-store.ts';
import { snippets } from '../../harness/docs.ts';
import { freePort } from '../../harness/free-port.ts';
import { key } from '../../harness/gateway.ts';
import { limitStoreContract } from '../../harness/limit-store-contract.ts';
import { askServer, startCluster, type RunningCluster } from '../../harness/redis-cluster.ts';
import {
  describeWithRedis,
  startRedis,
  startRedisServer,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RedisProcess,
  type RunningRedis,
} from '../../harness/redis.ts';

const log = { warn: () => undefined, info: () => undefined };

/** The words of a command in the documentation. */
function ruleOf(what: string): string[] {
  const found = snippets.find(({ needs, code }) => needs === what && code.startsWith('redis-cli ACL'));
  if (found === undefined) throw new Error(`The documentation has no permissions on ${what}.`);
  const [, ...words] = found.code.replaceAll(/['\\]/g, '').trim().split(/\s+/);
  return words;
}

describeWithRedis('a user with only the documented permissions', () => {
  let redis: RunningRedis;
  let cluster: RunningCluster;
  let store: RedisLimitStore | null = null;
  const environmentOf = (url: string) => ({ REDIS_URL: url, REDIS_USERNAME: 'sluice', REDIS_PASSWORD: 'password' });

  beforeAll(async () => {
    redis = await startRedis();
    cluster = await startCluster();
    await askServer(redis.url, ruleOf('a Redis server'));
    for (const node of cluster.nodes) {
      await node.ask(...ruleOf('a Redis server'));
      await node.ask(...ruleOf('a Redis Cluster'));
    }
  });
  afterEach(() => store?.stop());
  afterAll(async () => {
    await redis.stop();
    await cluster.stop();
  });

  const open = async (url: string, clock: Clock): Promise<RedisLimitStore> => {
    store?.stop();
    store = new RedisLimitStore({ servers: redisSettings(environmentOf(url), url), log, timeoutMs, clock });
    await store.connect();
    return store;
  };
  const one = async (clock: Clock): Promise<RedisLimitStore> => {
    await askServer(redis.url, ['FLUSHALL']);
    return open(redis.url, clock);
  };
  limitStoreContract('of one server', one, 1);

  it('uses the limits of a cluster', async () => {
    const limits = await open(cluster.url, systemClock);
    for (let number = 0; number < 20; number++) {
      const record = { ...key, accountId: `account ${number}`, limits: { ...key.limits, requestsPerDay: 1 } };
      const reservation = { eventId: `${number}`, at: Date.now(), bounds: boundsOf(record), tokens: 1, costNano: 0n };
      await limits.reserve(record, 'openai/x', reservation);
      await expect(limits.reserve(record, 'openai/x', { ...reservation, eventId: 'next' })).rejects.toThrow();
    }
    const counts = await Promise.all(cluster.nodes.map((node) => node.ask('DBSIZE')));
    expect(counts.filter((count) => Number(count) > 0)).toHaveLength(3);
  });

  it('suffices for all that sluice doctor tries', async () => {
    for (const { url } of [redis, cluster]) {
      const findings = await checkRedis(parseEnvironment(environmentOf(url), []));
      expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    }
  });

  it('lacks what sluice doctor names', async () => {
    await askServer(redis.url, [
      'ACL',
      'SETUSER',
      'sluice',
      '-hset',
      '-publish',
      '-getex',
      '-info',
      '-time',
      '-subscribe',
    ]);
    const findings = await checkRedis(parseEnvironment(environmentOf(redis.url), []));
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([
      expect.objectContaining({
        state: 'failed',
        text: 'the user sluice may not run getex, hset, publish, subscribe, time (NOPERM)',
      }),
    ]);
    await askServer(redis.url, ruleOf('a Redis server'));
  });

  it('leaves no key by the checks of sluice doctor', async () => {
    await askServer(redis.url, ['FLUSHALL']);
    await checkRedis(parseEnvironment(environmentOf(redis.url), []));
    expect(await askServer(redis.url, ['KEYS', '*'])).toEqual([]);
  });

  it('is named where its password is wrong', async () => {
    const environment = { ...environmentOf(redis.url), REDIS_PASSWORD: 'wrong' };
    expect(await checkRedis(parseEnvironment(environment, []))).toMatchObject([
      { state: 'failed', text: expect.stringContaining('WRONGPASS') },
    ]);
  });
});

describeWithRedis('Redis with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-tls-'));
  const file = (name: string): string => join(folder, name);
  let redis: RedisProcess;
  let url: string;

  beforeAll(async () => {
    const openssl = (...words: string[]): void => void execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA', '-days', '2');
    writeFileSync(file('names'), 'subjectAltName=DNS:redis.test');
    for (const name of ['server', 'client']) {
      openssl('req', ...ec, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed);
    }
    const port = await freePort();
    const files = ['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key')];
    const authority = ['--tls-ca-cert-file', file('ca.pem'), '--tls-auth-clients', 'yes'];
    redis = await startRedisServer(['--port', '0', '--tls-port', String(port), ...files, ...authority]);
    url = `rediss://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const examine = (changes: Record<string, string>) => {
    const given = {
      REDIS_URL: url,
      REDIS_TLS_CA_FILE: file('ca.pem'),
      REDIS_TLS_CERT_FILE: file('client.pem'),
      REDIS_TLS_KEY_FILE: file('client.key'),
      REDIS_TLS_SERVERNAME: 'redis.test',
      ...changes,
    };
    return checkRedis(parseEnvironment(given, []));
  };

  it('is used with a certificate of its own authority and a client certificate', async () => {
    const findings = await examine({});
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  });

  describe('is refused', () => {
    it.each<[string, Record<string, string>, RegExp]>([
      ['without its authority', { REDIS_TLS_CA_FILE: '' }, /certificate/i],
      ['under another name', { REDIS_TLS_SERVERNAME: 'other.test' }, /altnames|other\.test/i],
      [
        'without a client certificate',
        { REDIS_TLS_CERT_FILE: '', REDIS_TLS_KEY_FILE: '' },
        /certificate|closed|alert|reset/i,
      ],
    ])('%s', async (_how, changes, reason) => {
      expect(await examine(changes)).toMatchObject([{ state: 'failed', text: expect.stringMatching(reason) }]);
    });
  });
});
