import { text, type Given } from '../../data/search.ts';

/** `next` is the path to open afterwards. URLs of other origins are dropped. */
export function signInSearch(given: Given): { next?: string; error?: string } {
  return { next: sameOriginPath(given.next), error: text(given.error) };
}

/** Search of the sign-in page. An identity provider's callback redirects here with `totp` when the code is still required. */
export function signInPageSearch(given: Given): { next?: string; error?: string; totp?: 1 } {
  const next = sameOriginPath(given.next) ?? sameOriginPath(given.return);
  return { next, error: text(given.error), totp: given.totp === 1 ? 1 : undefined };
}

function sameOriginPath(value: unknown): string | undefined {
  const path = text(value);
  return path && isSameOriginPath(path) ? path : undefined;
}

function isSameOriginPath(path: string): boolean {
  if (!path.startsWith('/')) return false;
  return URL.canParse(path, location.origin) && new URL(path, location.origin).origin === location.origin;
}
