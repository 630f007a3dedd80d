export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** Each in PEM. */
export interface RedisTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name in the certificates of servers, if it is not the host that is connected to. */
  readonly servername?: string | undefined;
}

export interface RedisCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Redis or Valkey: one server, the primary that Sentinels name, or a cluster. */
export interface RedisServers {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  /** Of the server, of Sentinels, or of some nodes of the cluster. */
  readonly hosts: readonly [RedisAddress, ...RedisAddress[]];
  /** The name by which Sentinels know the primary; empty without Sentinels. */
  readonly primaryName: string;
  readonly database: number;
  readonly credentials: RedisCredentials;
  /** Of Sentinels. */
  readonly sentinelCredentials: RedisCredentials;
  /** Null for connections without TLS. */
  readonly tls: RedisTls | null;
}

export function addressText({ host, port }: RedisAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
