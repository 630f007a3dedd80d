import ipaddr from 'ipaddr.js';

/** 64 bits: the prefix that one IPv6 subscriber has. */
const PREFIX_PARTS = 4;

/**
 * The key by which attempts and limits of an address are counted. An IPv6 subscriber has many addresses, so their network is
 * counted; an IPv4 address mapped into IPv6 is the same as without.
 */
export function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return String(address);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const prefix = parsed.parts.slice(0, PREFIX_PARTS).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** A loopback address of this machine. */
export function isLoopback(address: string | null | undefined): boolean {
  return (
    address !== null &&
    address !== undefined &&
    ipaddr.isValid(address) &&
    ipaddr.process(address).range() === 'loopback'
  );
}
