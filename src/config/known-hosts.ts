import { isIP } from 'node:net';

/** Whether the value of a `Host` header is a name of this server. */
export type IsKnownHost = (host: string | undefined) => boolean;

export interface HostNames {
  /** The interface to listen on. A host name is also a name of the server. */
  readonly HOST: string;
  readonly SLUICE_PUBLIC_URL?: string | undefined;
  readonly SLUICE_ALLOWED_HOSTS: readonly string[];
}

/**
 * Protects against DNS rebinding: a page of any site resolves its own name to this machine and sends requests with the access of
 * its visitor. Such requests contain the name of that site in `Host`. IP addresses cannot be rebound, and loopback names always
 * resolve to the visitor's machine (RFC 6761). Ports are ignored.
 */
export function knownHosts({
  HOST,
  SLUICE_PUBLIC_URL: publicUrl,
  SLUICE_ALLOWED_HOSTS: allowed,
}: HostNames): IsKnownHost {
  const names = new Set([
    'localhost',
    HOST.toLowerCase(),
    ...ownNames({ SLUICE_PUBLIC_URL: publicUrl, SLUICE_ALLOWED_HOSTS: allowed }),
  ]);
  return (host) => {
    const name = nameIn(host ?? '');
    return names.has(name) || name.endsWith('.localhost') || isIP(name) !== 0;
  };
}

/** Public names of this server, in lower case. */
export function ownNames({
  SLUICE_PUBLIC_URL: publicUrl,
  SLUICE_ALLOWED_HOSTS: allowed,
}: Pick<HostNames, 'SLUICE_PUBLIC_URL' | 'SLUICE_ALLOWED_HOSTS'>): string[] {
  return publicUrl === undefined ? [...allowed] : [new URL(publicUrl).hostname, ...allowed];
}

/** Removes the port, the brackets of an IPv6 address, and a trailing dot. */
function nameIn(host: string): string {
  const name = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase());
  return (name?.[1] ?? name?.[2] ?? '').replace(/\.$/, '');
}
