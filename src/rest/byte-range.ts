/** One range as a client asks for it: only a `last` asks for so many bytes at the end. */
export interface AskedRange {
  readonly first: number | null;
  readonly last: number | null;
}

/** Both ends included. */
export interface Bounds {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * What a `range` header asks for; null for all of it, also where it asks in a way that is not served here: several ranges are
 * answered with the whole, as the standard allows. Source: RFC 9110, 14.
 */
export function askedRange(header: string | undefined): AskedRange | null {
  const [, from = '', to = ''] = ONE_RANGE.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (from === '' && to === '') return null;
  const [first, last] = [from, to].map((text) => (text === '' ? null : Number(text)));
  return first != null && last != null && last < first ? null : { first: first ?? null, last: last ?? null };
}

/** Null where nothing of so many bytes is in it. */
export function boundsOf({ first, last }: AskedRange, length: number): Bounds | null {
  const start = first ?? Math.max(0, length - (last ?? 0));
  if (start >= length) return null;
  return { first: start, last: first === null || last === null ? length - 1 : Math.min(last, length - 1) };
}
