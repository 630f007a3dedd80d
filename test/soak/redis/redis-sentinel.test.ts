import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRedis } from '../../../src/cli/doctor/check-redis.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { redisSettings } from '../../../src/config/redis/redis-settings.ts';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import { boundsOf, type Reservation } from '../../../src/gateway/limits/limit-store.ts';
import { RedisLimitStore } from '../../../src/storage/limits/redis-limit-store.ts';
import { RedisKeyChanges } from '../../../src/storage/redis-key-changes.ts';
import { discoverPrimaries } from '../../../src/storage/redis/discover-primaries.ts';
import { RedisConnection } from '../../../src/storage/redis/redis-connection.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { freePort } from '../../harness/free-port.ts';
import { key } from '../../harness/gateway.ts';
import { askServer, until, whenReplicated } from '../../harness/redis-cluster.ts';
import {
  describeWithRedis,
  startRedis,
  startRedisServer,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RedisProcess,
  type RunningRedis,
} from '../../harness/redis.ts';

const log = { warn: () => undefined, info: () => undefined };
const SECURED = ['--requirepass', 'secret', '--masterauth', 'secret', '--repl-diskless-sync-delay', '0'];

/** In this order: the last tests replace the primary and end the Sentinel. */
describeWithRedis('a primary that Sentinels name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sentinel-'));
  let primary: RunningRedis;
  let replica: RunningRedis;
  let sentinel: RedisProcess;
  let port: number;
  let environment: Record<string, string>;

  const askOf =
    ({ url }: RunningRedis) =>
    (...words: string[]) =>
      askServer(url.replace('redis://', 'redis://:secret@'), words);
  const askSentinel = (...words: string[]) => askServer(`redis://:watch@127.0.0.1:${port}`, ['SENTINEL', ...words]);
  const servers = (url = environment.REDIS_URL ?? '') => redisSettings({ ...environment, REDIS_URL: url }, url);

  beforeAll(async () => {
    primary = await startRedis(SECURED);
    const [{ host, port: primaryPort }] = primary.servers.hosts;
    replica = await startRedis([...SECURED, '--replicaof', host, String(primaryPort)]);
    port = await freePort();
    const config = join(folder, 'sentinel.conf');
    // No failure is noticed before the test has ended: failovers are by command.
    writeFileSync(
      config,
      `port ${port}
requirepass watch
sentinel monitor main ${host} ${primaryPort} 1
sentinel auth-pass main secret
sentinel down-after-milliseconds main 600000
`,
    );
    sentinel = await startRedisServer(['--sentinel'], config);
    await until(async () => JSON.stringify(await askSentinel('REPLICAS', 'main')).includes('"ok"'));
    environment = {
      REDIS_URL: `redis+sentinel://127.0.0.1:1,127.0.0.1:${port}/main`,
      REDIS_PASSWORD: 'secret',
      REDIS_SENTINEL_PASSWORD: 'watch',
    };
  });

  afterAll(async () => {
    await sentinel.stop();
    await replica.stop();
    await primary.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is used, and what sluice doctor finds names it and the Sentinel that does not respond', async () => {
    const [{ port: primaryPort }] = primary.servers.hosts;
    const findings = await checkRedis(parseEnvironment(environment, []));
    expect(findings).toContainEqual(
      expect.objectContaining({
        state: 'ok',
        text: `Sentinel: 1 of 2 respond; main is 127.0.0.1:${primaryPort}`,
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        state: 'warning',
        text: expect.stringContaining('Sentinel 127.0.0.1:1 does not respond'),
      }),
    );
    expect(findings).not.toContainEqual(expect.objectContaining({ state: 'failed' }));
  });

  it('does not receive the credentials of Sentinels', async () => {
    await discoverPrimaries(servers(), primary.servers.hosts);
    expect(String(await askOf(primary)('INFO', 'errorstats'))).not.toContain('WRONGPASS');
  });

  it('is no replica that a Sentinel names which missed a failover', async () => {
    const [{ host, port: replicaPort }] = replica.servers.hosts;
    const [{ port: primaryPort }] = primary.servers.hosts;
    const stalePort = await freePort();
    const config = join(folder, 'stale.conf');
    writeFileSync(
      config,
      `port ${stalePort}
requirepass watch
sentinel monitor main ${host} ${replicaPort} 1
sentinel auth-pass main secret
sentinel down-after-milliseconds main 600000
`,
    );
    const stale = await startRedisServer(['--sentinel'], config);
    const at = (...ports: readonly number[]) => {
      const hosts = ports.map((each) => `127.0.0.1:${each}`).join(',');
      return servers(`redis+sentinel://${hosts}/main`);
    };
    try {
      expect(await discoverPrimaries(at(stalePort, port))).toMatchObject([{ primary: { host, port: primaryPort } }]);
      await expect(discoverPrimaries(at(stalePort))).rejects.toThrow(
        `it named ${host}:${replicaPort}, whose role is slave`,
      );
      const errors: string[] = [];
      const connection = new RedisConnection({
        servers: at(stalePort),
        onReady: () => errors.push('connected'),
        onError: ({ message }) => errors.push(message),
      });
      void connection.open();
      await expect.poll(() => errors.length).toBeGreaterThan(1);
      expect(errors).not.toContain('connected');
      connection.close();
    } finally {
      await stale.stop();
    }
  });

  it('is left when it has become a replica, although the Sentinel still names it', async () => {
    const single = await startRedis(SECURED);
    const [{ host, port: singlePort }] = single.servers.hosts;
    const config = join(folder, 'single.conf');
    const sentinelPort = await freePort();
    writeFileSync(
      config,
      `port ${sentinelPort}
requirepass watch
sentinel monitor single ${host} ${singlePort} 1
sentinel auth-pass single secret
sentinel down-after-milliseconds single 600000
`,
    );
    const its = await startRedisServer(['--sentinel'], config);
    const connection = new RedisConnection({
      servers: servers(`redis+sentinel://127.0.0.1:${sentinelPort}/single`),
    });
    try {
      await connection.open();
      expect(await connection.send('a', ['GET', 'a'])).toBeNull();
      const [{ port: primaryPort }] = primary.servers.hosts;
      await askOf(single)('REPLICAOF', host, String(primaryPort));
      await connection.send('a', ['SET', 'a', '1']).catch((error: unknown) => error);
      await expect
        .poll(() => connection.send('a', ['GET', 'a']).catch((error: unknown) => String(error)))
        .toContain('is not connected');
    } finally {
      connection.close();
      await its.stop();
      await single.stop();
    }
  });

  it('is replaced by the replica that is promoted while it does not respond', async () => {
    const clock = new FakeClock(Date.now());
    const store = new RedisLimitStore({ servers: servers(), log, timeoutMs, clock });
    await store.connect();
    const changes = [0, 1].map(() => new RedisKeyChanges(servers(), log));
    const heard: string[] = [];
    for (const each of changes) each.open(({ id }) => void heard.push(id));
    const { accountId } = key;
    const budget: Budget = {
      id: `account:${accountId}`,
      subject: 'account',
      accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const spending = { ...key, budgets: [budget] };
    const hold = (eventId: string, costNano: bigint): Reservation => ({
      eventId,
      at: clock.now(),
      bounds: boundsOf(key),
      tokens: 1,
      costNano,
    });
    await store.open(budget);
    await store.add(budget, 4n, clock.now());
    await whenReplicated({ ask: askOf(primary) }, { ask: askOf(replica) });
    primary.pause();
    const share = store.reserve(key, 'openai/x', hold('share', 0n));
    await clock.advanceAsync(timeoutMs);
    await share;
    await expect(store.reserve(spending, 'openai/x', hold('refused', 1n))).rejects.toMatchObject({
      code: 'limits_unavailable',
    });
    await askSentinel('FAILOVER', 'main');
    await expect.poll(() => store.state(budget).catch(() => null)).toMatchObject({ spentNano: 4n });
    await expect
      .poll(() => {
        changes[0]?.publish({ id: 'after', revoked: false });
        return heard.filter((id) => id === 'after').length;
      })
      .toBeGreaterThan(1);
    for (const each of changes) each.close();
    store.stop();
  });

  it('is not known while no Sentinel responds, which sluice doctor says', async () => {
    await sentinel.kill();
    expect(await checkRedis(parseEnvironment(environment, []))).toMatchObject([
      { state: 'failed', text: expect.stringContaining('No Sentinel named a primary') },
    ]);
  });
});
