/** Untrusted search parameters of a URL. Invalid values are dropped. */
export type UntrustedSearch = Readonly<Record<string, unknown>>;

export function nonEmptyText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function oneOf<T extends string>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((each) => each === value);
}
