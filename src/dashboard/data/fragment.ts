/** An address and what stands behind its hash, which no server is sent: apart, and as they were written. */
export function withoutFragment(href: string): { readonly path: string; readonly fragment: string | undefined } {
  const at = href.indexOf('#');
  return at === -1 ? { path: href, fragment: undefined } : { path: href.slice(0, at), fragment: href.slice(at + 1) };
}
