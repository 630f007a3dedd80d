import ipaddr from 'ipaddr.js';

/** 64 bits: what one subscriber has of IPv6, whatever address of it they take. */
const PREFIX_PARTS = 4;

/**
 * What attempts and budgets of an address are counted by. Whoever has an IPv6 address has a network of them, and would begin
 * anew from each; an IPv4 address within IPv6 is the same as without.
 */
export function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return String(address);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const prefix = parsed.parts.slice(0, PREFIX_PARTS).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** An address of the machine itself. */
export function isLoopback(address: string | null | undefined): boolean {
  return (
    address !== null &&
    address !== undefined &&
    ipaddr.isValid(address) &&
    ipaddr.process(address).range() === 'loopback'
  );
}
