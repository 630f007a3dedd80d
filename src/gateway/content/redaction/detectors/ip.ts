import { isIPv6 } from 'node:net';
import { HAS_IPV4, HAS_IPV6 } from '../text-traits.ts';
import type { Detector } from './detector.ts';

const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d{1,2})';
const ipv4 = new RegExp(`(?<![\\d.])${octet}(?:\\.${octet}){3}(?!\\d|\\.\\d)`, 'g');
/** Long enough for `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const ipv6 = /(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:(?:\.\d{1,3}){3})?(?![\w:])/g;

/** Addresses of IPv4 and IPv6. An IPv6 address without a digit is taken for code, such as `Abc::def`. */
export const ip: Detector = {
  name: 'ip',
  traits: HAS_IPV4 | HAS_IPV6,
  find(text, report) {
    if (text.includes('.'))
      for (const { 0: address, index } of text.matchAll(ipv4)) report(index, index + address.length);
    if (text.includes(':'))
      for (const { 0: address, index } of text.matchAll(ipv6))
        if (address.indexOf(':') !== address.lastIndexOf(':') && /\d/.test(address) && isIPv6(address))
          report(index, index + address.length);
  },
};
