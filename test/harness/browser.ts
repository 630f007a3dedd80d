/** A browser's way through redirects: keeps each origin's cookies, runs nothing. */
export class RedirectBrowser {
  readonly #jars = new Map<string, Map<string, string>>();

  /** Goes where it is sent, until `until` holds of an address, which it does not visit. @returns that address, or the last */
  async follow(
    start: string,
    until: (url: URL) => boolean,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<URL> {
    let url = new URL(start);
    for (let hops = 0; hops < 20; hops++) {
      const next = await this.visit(url.href, headers);
      if (next === null) return url;
      url = next;
      if (until(url)) return url;
    }
    throw new Error(`too many redirects, at last to ${url.href}`);
  }

  /** @returns where it is sent; null where it may stay */
  async visit(at: string, headers: Readonly<Record<string, string>> = {}): Promise<URL | null> {
    const url = new URL(at);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...headers, cookie: this.cookies(url.origin) },
    });
    this.keep(url.origin, response);
    const location = response.headers.get('location');
    return location === null ? null : new URL(location, url);
  }

  keep(origin: string, response: Response): void {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      const isGone = /;\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(cookie);
      if (isGone) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  cookies(origin: string): string {
    return [...(this.#jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  cookie(origin: string, name: string): string | null {
    return this.#jars.get(origin)?.get(name) ?? null;
  }

  setCookie(origin: string, name: string, value: string): void {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar.set(name, value));
  }
}
