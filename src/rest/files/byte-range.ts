/** A requested range. Without `first`, `last` is the number of bytes at the end. */
export interface RequestedRange {
  readonly first: number | null;
  readonly last: number | null;
}

/** Both ends inclusive. */
export interface Bounds {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Parses a `range` header. Null for the complete content, also for unsupported headers: several ranges are answered with the
 * complete content, as the standard allows. Source: RFC 9110, 14.
 */
export function parseRange(header: string | undefined): RequestedRange | null {
  const [, from = '', to = ''] = ONE_RANGE.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (from === '' && to === '') return null;
  const [first, last] = [from, to].map((text) => (text === '' ? null : Number(text)));
  return first != null && last != null && last < first ? null : { first: first ?? null, last: last ?? null };
}

/** Null if the range does not overlap content of this length. */
export function resolveRange({ first, last }: RequestedRange, length: number): Bounds | null {
  const start = first ?? Math.max(0, length - (last ?? 0));
  if (start >= length) return null;
  return { first: start, last: first === null || last === null ? length - 1 : Math.min(last, length - 1) };
}
