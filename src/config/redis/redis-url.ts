/** The parts of `REDIS_URL`. */
export interface RedisUrl {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  readonly hosts: readonly [RedisHost, ...RedisHost[]];
  /** The name by which Sentinels know the primary; empty without Sentinels. */
  readonly primaryName: string;
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isTls: boolean;
}

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

const shape =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^@/]*)@)?(?<hosts>[^/?#@]+)(?:\/(?<path>[^?#]*))?$/;
const [REDIS_PORT, SENTINEL_PORT] = [6_379, 26_379];

/** @returns what is wrong with it, as text */
export function parseRedisUrl(text: string): RedisUrl | string {
  const groups = shape.exec(text)?.groups;
  if (groups === undefined)
    return 'must be a URL that begins with redis://, rediss://, redis+sentinel:// or redis+cluster:// (rediss+… with TLS)';
  const kind = groups.kind === 'sentinel' || groups.kind === 'cluster' ? groups.kind : 'standalone';
  const hosts = (groups.hosts ?? '').split(',').map((each) => hostOf(each, kind));
  const [first, ...others] = hosts.filter((host) => host !== null);
  if (first === undefined || others.length + 1 < hosts.length)
    return 'must name hosts as host:port, separated by commas';
  if (kind === 'standalone' && others.length > 0)
    return 'names several hosts: begin it with redis+cluster:// for a cluster, redis+sentinel:// for Sentinels';
  const path = (groups.path ?? '').split('/').filter((part) => part !== '');
  const primaryName = kind === 'sentinel' ? (path.shift() ?? '') : '';
  if (kind === 'sentinel' && primaryName === '')
    return 'must end with the name of the primary, such as redis+sentinel://host:26379/mymaster';
  const [database = '0', ...rest] = path;
  if (!/^\d{1,4}$/.test(database) || rest.length > 0)
    return 'must end with the number of a database, or without a path';
  if (kind === 'cluster' && database !== '0') return 'must not name a database: a cluster has one';
  const [user = '', ...secret] = (groups.user ?? '').split(':');
  try {
    return {
      kind,
      hosts: [first, ...others],
      primaryName: decodeURIComponent(primaryName),
      database: Number(database),
      username: user === '' ? undefined : decodeURIComponent(user),
      password: secret.length === 0 ? undefined : decodeURIComponent(secret.join(':')),
      isTls: groups.tls === 's',
    };
  } catch {
    return 'must have its user, password and names percent-encoded';
  }
}

function hostOf(text: string, kind: RedisUrl['kind']): RedisHost | null {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const number = Number(port ?? (kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT));
  return host === undefined || number < 1 || number > 65_535 ? null : { host, port: number };
}
