const MAX_LENGTH = 1_000;
/** Any host: a path that stays on it stays on ours. */
const HERE = 'http://here.invalid';

/** Where a browser goes afterwards: a path of this server's, whatever was asked for. */
export function returnPath(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked)) return '/';
  if (asked.includes('\\') || !URL.canParse(asked, HERE)) return '/';
  const { origin, pathname, search, hash } = new URL(asked, HERE);
  // Dots are taken out of a path first: what is left must not begin with two slashes either.
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}
