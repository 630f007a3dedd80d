/** Splits a URL and its fragment, which is not sent to servers. Both remain as written. */
export function withoutFragment(href: string): { readonly path: string; readonly fragment: string | undefined } {
  const at = href.indexOf('#');
  return at === -1 ? { path: href, fragment: undefined } : { path: href.slice(0, at), fragment: href.slice(at + 1) };
}
