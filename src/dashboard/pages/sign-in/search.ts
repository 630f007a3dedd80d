import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

/** `next` is the path to open afterwards. URLs of other origins are dropped. */
export function signInSearch(input: UntrustedSearch): { next?: string; error?: string } {
  return { next: sameOriginPath(input.next), error: nonEmptyText(input.error) };
}

/** Search of the sign-in page. An identity provider's callback redirects here with `totp` when the code is still required. */
export function signInPageSearch(input: UntrustedSearch): { next?: string; error?: string; totp?: 1 } {
  const next = sameOriginPath(input.next) ?? sameOriginPath(input.return);
  return { next, error: nonEmptyText(input.error), totp: input.totp === 1 ? 1 : undefined };
}

function sameOriginPath(value: unknown): string | undefined {
  const path = nonEmptyText(value);
  return path && isSameOriginPath(path) ? path : undefined;
}

function isSameOriginPath(path: string): boolean {
  if (!path.startsWith('/')) return false;
  return URL.canParse(path, location.origin) && new URL(path, location.origin).origin === location.origin;
}
