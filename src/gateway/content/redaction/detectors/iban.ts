import { HAS_DIGITS } from '../text-traits.ts';
import type { Detector } from './detector.ts';

/** Lengths by country, of the IBAN registry: https://www.swift.com/standards/data-standards/iban */
const lengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
/** Two upper-case letters each. */
export const ibanCountries: Pick<ReadonlySet<string>, 'has'> = lengths;
const start = /(?<![A-Za-z0-9])[A-Za-z]{2}[ \u00a0]?\d{2}/g;

/** IBANs with a right checksum (ISO 13616), in one piece or in groups separated by single spaces or hyphens. */
export const iban: Detector = {
  name: 'iban',
  traits: HAS_DIGITS,
  find(text, report) {
    for (const { index } of text.matchAll(start)) {
      const length = lengths.get(text.slice(index, index + 2).toUpperCase());
      if (length === undefined) continue;
      const end = endOf(text, index, length);
      if (end > 0) report(index, end);
    }
  },
};

/** @returns the end of an IBAN of so many characters, 0 if there is none or its checksum is wrong */
function endOf(text: string, from: number, length: number): number {
  let compact = '';
  let at = from;
  while (compact.length < length && at < text.length) {
    const character = text.charAt(at);
    if (/[A-Za-z0-9]/.test(character)) compact += character;
    else if (!/[ \u00a0-]/.test(character) || !/[A-Za-z0-9]/.test(text.charAt(at + 1))) return 0;
    at += 1;
  }
  if (compact.length < length || /[A-Za-z0-9]/.test(text.charAt(at))) return 0;
  return hasRightChecksum(compact.toUpperCase()) ? at : 0;
}

/** ISO 7064, MOD 97-10, over the text with its first four characters at the end. */
function hasRightChecksum(compact: string): boolean {
  let remainder = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
