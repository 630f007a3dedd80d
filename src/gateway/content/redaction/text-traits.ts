/** What one pass over a text says about which detectors can match it, as bits. */
export const HAS_AT = 1;
/** Seven digits with at most separators between them. */
export const HAS_NUMBER = 2;
/** Eight digits in all, fewer than any IBAN has. */
export const HAS_DIGITS = 4;
/** Digits with three dots between them. */
export const HAS_IPV4 = 8;
/** Two colons with nothing but hexadecimal digits between them. */
export const HAS_IPV6 = 16;

const MAX_SEPARATORS = 3;

/** Whether a character may stand between the digits of one number: space, no-break space and `( ) - . /`. */
export function isSeparator(code: number): boolean {
  return (
    code === 0x20 ||
    code === 0x28 ||
    code === 0x29 ||
    (code >= 0x2d && code <= 0x2f) ||
    code === 0xa0 ||
    code === 0x202f ||
    code === 0x2011
  );
}

/** Every detector but that of secrets finds nothing in a text without its bit. */
export function traitsOf(text: string): number {
  let traits = 0;
  let digits = 0;
  let run = 0;
  let gap = 0;
  let longest = 0;
  let dots = 0;
  let colons = 0;
  let isAfterDigit = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      digits += 1;
      run += 1;
      gap = 0;
      if (run > longest) longest = run;
      isAfterDigit = true;
      if (dots === 3) traits |= HAS_IPV4;
      continue;
    }
    dots = code === 0x2e && isAfterDigit ? dots + 1 : 0;
    isAfterDigit = false;
    if (code === 0x40) traits |= HAS_AT;
    else if (code === 0x3a) {
      colons += 1;
      if (colons === 2) traits |= HAS_IPV6;
    } else if ((code | 0x20) < 0x61 || (code | 0x20) > 0x66) colons = 0;
    if (run === 0) continue;
    gap += 1;
    if (gap > MAX_SEPARATORS || !isSeparator(code)) run = 0;
  }
  if (longest >= 7) traits |= HAS_NUMBER;
  if (digits >= 8) traits |= HAS_DIGITS;
  return traits;
}
