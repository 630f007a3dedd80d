import { isIP } from 'node:net';

/** Whether a request that is for this host name, as its `Host` header has it, was meant for this server. */
export type IsKnownHost = (host: string | undefined) => boolean;

export interface HostNames {
  /** The interface listened on; a name that people gave it is one of the server's own. */
  readonly HOST: string;
  readonly SLUICE_PUBLIC_URL?: string | undefined;
  readonly SLUICE_ALLOWED_HOSTS: readonly string[];
}

/**
 * By DNS rebinding, a page of any site makes its own name lead to this machine, and then reads and asks what its visitor could.
 * It cannot rename itself: its requests bear the name that it was opened by. An address is no name, so that nobody can rebind it;
 * loopback names are the visitor's own machine by definition (RFC 6761). Ports do not count.
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

/** By which others reach this server, in lower case. */
export function ownNames({
  SLUICE_PUBLIC_URL: publicUrl,
  SLUICE_ALLOWED_HOSTS: allowed,
}: Pick<HostNames, 'SLUICE_PUBLIC_URL' | 'SLUICE_ALLOWED_HOSTS'>): string[] {
  return publicUrl === undefined ? [...allowed] : [new URL(publicUrl).hostname, ...allowed];
}

/** Without the port, the brackets of an IPv6 address, and the dot that ends a name in full. */
function nameIn(host: string): string {
  const name = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase());
  return (name?.[1] ?? name?.[2] ?? '').replace(/\.$/, '');
}
