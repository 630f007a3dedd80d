import { HAS_AT } from '../text-traits.ts';
import type { Detector } from './detector.ts';

/** Lengths of RFC 5321, section 4.5.3.1. */
const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;

const localCharacter = /[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]/u;
const domainCharacter = /[\p{L}\p{N}.-]/u;
const topLevelDomain = /\.(?:\p{L}{2,63}|xn--[a-z0-9-]{2,59})$/iu;

/** E-mail addresses, also international ones (RFC 6531). Each `@` is looked at with a bounded part around it. */
export const email: Detector = {
  name: 'email',
  traits: HAS_AT,
  find(text, report) {
    for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
      const start = startOfLocal(text, at);
      if (start === at) continue;
      const end = endOfDomain(text, at);
      if (end > 0) report(start, end);
    }
  },
};

function startOfLocal(text: string, at: number): number {
  // A percent-encoded or quoted local part ends where its characters do.
  const limit = Math.max(0, at - MAX_LOCAL_LENGTH);
  let start = at;
  while (start > limit && localCharacter.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** @returns 0 if no domain follows */
function endOfDomain(text: string, at: number): number {
  const limit = Math.min(text.length, at + 1 + MAX_DOMAIN_LENGTH);
  let end = at + 1;
  while (end < limit && domainCharacter.test(text.charAt(end))) end += 1;
  while (end > at + 1 && /[.-]/.test(text.charAt(end - 1))) end -= 1;
  return topLevelDomain.test(text.slice(at + 1, end)) ? end : 0;
}
