import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { parseConfig } from '../../../src/config/config-file.ts';
import { redisSettings } from '../../../src/config/redis/redis-settings.ts';

const credentials = { username: undefined, password: undefined };

function settings(environment: Readonly<Record<string, string>>) {
  return redisSettings(parseEnvironment(environment, []), environment.REDIS_URL ?? '');
}

describe('REDIS_URL', () => {
  it.each([
    ['redis://h', 'standalone', [['h', 6379]], '', 0, false],
    ['rediss://[::1]:7000/3', 'standalone', [['::1', 7000]], '', 3, true],
    [
      'redis+cluster://a:1,b',
      'cluster',
      [
        ['a', 1],
        ['b', 6379],
      ],
      '',
      0,
      false,
    ],
    [
      'rediss+sentinel://a,b:2/my%20master/4',
      'sentinel',
      [
        ['a', 26379],
        ['b', 2],
      ],
      'my master',
      4,
      true,
    ],
  ])('%s names servers', (url, kind, hosts, primaryName, database, isTls) => {
    const found = settings({ REDIS_URL: url });
    expect({ ...found, tls: found.tls !== null }).toEqual({
      kind,
      hosts: hosts.map(([host, port]) => ({ host, port })),
      primaryName,
      database,
      credentials,
      sentinelCredentials: credentials,
      tls: isTls,
    });
  });

  it.each([
    ['http://h', 'begins with redis://'],
    ['redis+ring://h', 'begins with redis://'],
    ['redis://a,b', 'redis+cluster://'],
    ['redis://h:99999', 'host:port'],
    ['redis+cluster://a,,b', 'host:port'],
    ['redis://h/name', 'number of a database'],
    ['redis+cluster://h/1', 'a cluster has one'],
    ['redis+sentinel://h', 'name of the primary'],
    ['redis://%zz@h', 'percent-encoded'],
  ])('%s is refused', (url, fault) => {
    expect(() => parseEnvironment({ REDIS_URL: url }, [])).toThrow(fault);
    expect(() => parseConfig('f', `cache: { redis: "${url}" }`, {})).toThrow(fault);
  });

  it('has the user and password of the servers, or variables and files have them', () => {
    expect(settings({ REDIS_URL: 'redis://user:p%40ss:word@h' }).credentials).toEqual({
      username: 'user',
      password: 'p@ss:word',
    });
    const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-settings-'));
    const file = join(folder, 'password');
    writeFileSync(file, 'secret\n');
    const REDIS_URL = 'redis+sentinel://h/main';
    const found = settings({
      REDIS_URL,
      REDIS_USERNAME: 'user',
      REDIS_PASSWORD_FILE: file,
      REDIS_SENTINEL_PASSWORD: 'watch',
    });
    rmSync(folder, { recursive: true });
    expect(found.credentials).toEqual({ username: 'user', password: 'secret' });
    expect(found.sentinelCredentials).toEqual({ username: undefined, password: 'watch' });
  });

  it('keeps its credentials from other servers', () => {
    const environment = { REDIS_URL: 'redis://h', REDIS_USERNAME: 'user', REDIS_PASSWORD: 'secret' };
    expect(redisSettings(environment, 'redis://other').credentials).toEqual(credentials);
  });

  it.each([
    [{ REDIS_PASSWORD: 'x' }, 'REDIS_URL is required with REDIS_PASSWORD'],
    [{ REDIS_URL: 'redis://:a@h', REDIS_PASSWORD: 'b' }, 'both set'],
    [{ REDIS_URL: 'redis://a@h', REDIS_USERNAME: 'b' }, 'both set'],
    [{ REDIS_URL: 'rediss://h', REDIS_TLS_CERT: 'x' }, 'must be set together'],
    [{ REDIS_URL: 'redis://h', REDIS_TLS_CA: 'x' }, 'must begin with rediss://'],
  ])('%j contradicts itself', (environment, fault) => {
    expect(() => parseEnvironment(environment, [])).toThrow(fault);
  });
});
