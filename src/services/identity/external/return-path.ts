const MAX_LENGTH = 1_000;
/** An arbitrary host: a path that stays on it stays on this server. */
const PLACEHOLDER_ORIGIN = 'http://here.invalid';

/** The path to return to: always on this server, whatever was requested. */
export function returnPath(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked)) return '/';
  if (asked.includes('\\') || !URL.canParse(asked, PLACEHOLDER_ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(asked, PLACEHOLDER_ORIGIN);
  // URL parsing removes dot segments: the result must not begin with two slashes either.
  return origin === PLACEHOLDER_ORIGIN && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}
