import { BlockList, isIP } from 'node:net';

/** Addresses that are not public, and metadata services of clouds. Source: IANA's special-purpose registries. */
const refusedIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; contains Alibaba's metadata service
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host agent, at a public address
  ['169.254.0.0', 16], // link-local; contains the metadata service of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; contains Oracle's metadata service
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/** Within the allocated range 2000::/3. Everything else is not public. */
const refusedIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarking
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
];

const refused4 = blockList('ipv4', refusedIpv4);
const refused6 = blockList('ipv6', refusedIpv6);
const allocated6 = blockList('ipv6', [['2000::', 3]]);

/** Addresses that embed an IPv4 destination in the last 32 bits: mapped (RFC 4291) and NAT64 (RFC 6052). */
const carriers = blockList('ipv6', [['64:ff9b::', 96]]);
const MAPPED = /^0{20}ffff/;
/** The same in the interface identifier: ISATAP (RFC 5214, 6.1). */
const ISATAP = /^.{16}0[02]005efe/;

/**
 * Whether an address belongs to the public internet. False for a text that is not an IP address in the usual notation.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused4.check(address, 'ipv4');
    case 6:
      // A zone ID refers to an interface of this machine.
      return !address.includes('%') && isPublicIpv6(address);
    default:
      return false;
  }
}

function isPublicIpv6(address: string): boolean {
  const hex = hexDigits(address);
  const inner = Buffer.from(hex.slice(-8), 'hex').join('.');
  if (MAPPED.test(hex) || carriers.check(address, 'ipv6')) return isPublicAddress(inner);
  if (!allocated6.check(address, 'ipv6') || refused6.check(address, 'ipv6')) return false;
  return !ISATAP.test(hex) || isPublicAddress(inner);
}

/** All 32 hexadecimal digits of an address. */
function hexDigits(address: string): string {
  // The URL parser returns the shortest notation, completely in hexadecimal.
  const [left = '', right = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  return padded(left) + padded(right).padStart(32 - padded(left).length, '0');
}

function padded(groups: string): string {
  return groups === ''
    ? ''
    : groups
        .split(':')
        .map((group) => group.padStart(4, '0'))
        .join('');
}

function blockList(family: 'ipv4' | 'ipv6', networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}
