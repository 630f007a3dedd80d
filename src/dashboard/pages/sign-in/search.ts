import { text, type Given } from '../../data/search.ts';

/** `next` is the path to open afterwards. URLs of other origins are dropped. */
export function signInSearch(given: Given): { next?: string; error?: string } {
  return { next: ownPath(given.next), error: text(given.error) };
}

/** Search of the sign-in page. An identity provider's callback redirects here with `totp` when the code is still required. */
export function signInPageSearch(given: Given): { next?: string; error?: string; totp?: 1 } {
  const next = ownPath(given.next) ?? ownPath(given.return);
  return { next, error: text(given.error), totp: given.totp === 1 ? 1 : undefined };
}

function ownPath(value: unknown): string | undefined {
  const path = text(value);
  return path && isOwnPath(path) ? path : undefined;
}

function isOwnPath(path: string): boolean {
  if (!path.startsWith('/')) return false;
  return URL.canParse(path, location.origin) && new URL(path, location.origin).origin === location.origin;
}
