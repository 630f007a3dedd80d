import { parseRedisUrl, type RedisUrl } from './redis-url.ts';

/** The variables of Redis. */
export interface RedisEnvironment {
  readonly REDIS_URL?: string | undefined;
  readonly REDIS_USERNAME?: string | undefined;
  readonly REDIS_PASSWORD?: string | undefined;
  readonly REDIS_SENTINEL_USERNAME?: string | undefined;
  readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
  readonly REDIS_TLS_CA?: string | undefined;
  readonly REDIS_TLS_CERT?: string | undefined;
  readonly REDIS_TLS_KEY?: string | undefined;
  readonly REDIS_TLS_SERVERNAME?: string | undefined;
}

interface Credentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** How to connect to Redis or Valkey. */
export interface RedisSettings extends Pick<RedisUrl, 'kind' | 'hosts' | 'primaryName' | 'database'> {
  readonly credentials: Credentials;
  readonly sentinelCredentials: Credentials;
  /** Null for connections without TLS. */
  readonly tls: Readonly<Record<'ca' | 'cert' | 'key' | 'servername', string | undefined>> | null;
}

/**
 * @param url `REDIS_URL`, or that of other servers, which do not receive the credentials of `REDIS_URL`
 * @throws TypeError if it is no such URL
 */
export function redisSettings(environment: RedisEnvironment, url: string): RedisSettings {
  const parsed = parseRedisUrl(url);
  if (typeof parsed === 'string') throw new TypeError(`The URL of Redis ${parsed}`);
  const { kind, hosts, primaryName, database, username, password, isTls } = parsed;
  const isOwn = url === environment.REDIS_URL;
  return {
    kind,
    hosts,
    primaryName,
    database,
    credentials: {
      username: username ?? (isOwn ? environment.REDIS_USERNAME : undefined),
      password: password ?? (isOwn ? environment.REDIS_PASSWORD : undefined),
    },
    sentinelCredentials: {
      username: isOwn ? environment.REDIS_SENTINEL_USERNAME : undefined,
      password: isOwn ? environment.REDIS_SENTINEL_PASSWORD : undefined,
    },
    tls: isTls
      ? {
          ca: environment.REDIS_TLS_CA,
          cert: environment.REDIS_TLS_CERT,
          key: environment.REDIS_TLS_KEY,
          servername: environment.REDIS_TLS_SERVERNAME,
        }
      : null,
  };
}

/** Those of `REDIS_URL`; null without it. */
export function ownRedis(environment: RedisEnvironment): RedisSettings | null {
  return environment.REDIS_URL === undefined ? null : redisSettings(environment, environment.REDIS_URL);
}

const urlOptions = ['REDIS_USERNAME', 'REDIS_PASSWORD', 'REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'] as const;
const tlsOptions = ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY', 'REDIS_TLS_SERVERNAME'] as const;

/** What contradicts itself in the variables of Redis. */
export function redisFaults(given: RedisEnvironment): string[] {
  const faults: string[] = [];
  const parsed = given.REDIS_URL === undefined ? null : parseRedisUrl(given.REDIS_URL);
  const needing = urlOptions.filter((name) => given[name] !== undefined);
  if (parsed === null && needing.length > 0) faults.push(`REDIS_URL is required with ${needing.join(', ')}`);
  if ((given.REDIS_TLS_CERT === undefined) !== (given.REDIS_TLS_KEY === undefined))
    faults.push('REDIS_TLS_CERT and REDIS_TLS_KEY must be set together');
  if (parsed === null || typeof parsed === 'string') return faults;
  if (parsed.username !== undefined && given.REDIS_USERNAME !== undefined)
    faults.push('REDIS_USERNAME and the user in REDIS_URL are both set; remove one of them');
  if (parsed.password !== undefined && given.REDIS_PASSWORD !== undefined)
    faults.push('REDIS_PASSWORD and the password in REDIS_URL are both set; remove one of them');
  const encrypting = tlsOptions.filter((name) => given[name] !== undefined);
  if (!parsed.isTls && encrypting.length > 0)
    faults.push(`REDIS_URL must begin with rediss:// or rediss+ with ${encrypting.join(', ')}`);
  return faults;
}
