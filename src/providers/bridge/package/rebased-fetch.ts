import type { Fetch } from './connection-fetch.ts';

/** Sends requests for the provider's fixed host to the configured base URL instead. */
export function rebasedFetch(fetch: Fetch, host: string, baseUrl: string | undefined): Fetch {
  if (baseUrl === undefined) return fetch;
  const base = baseUrl.replace(/\/+$/, '');
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const isOtherHost = url !== host && !url.startsWith(`${host}/`);
    if (isOtherHost) return fetch(input, init);
    const moved = base + url.slice(host.length);
    return input instanceof Request ? fetch(new Request(moved, input), init) : fetch(moved, init);
  };
}
