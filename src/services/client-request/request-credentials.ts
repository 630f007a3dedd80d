import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';

/** A cookie's value from the `cookie` header; null if there is none. */
export function cookieIn(header: string | undefined, wanted: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value) return value;
  }
  return null;
}

/** The host name of the request, as a trusted proxy reports it: Express reads it. */
export function hostOf(request: IncomingMessage): string | undefined {
  return 'host' in request && typeof request.host === 'string' ? request.host : request.headers.host;
}

/** The Bearer token of an `authorization` header; null for any other scheme, and if it is empty. */
export function bearerIn(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || !(header.startsWith('Bearer ') || /^bearer\s/i.test(header))) return null;
  return header.slice('bearer '.length).trim() || null;
}

/** Headers with an API key besides `authorization`: those of Anthropic's, Azure's and Google's clients. */
export const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** By lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The API key or access token of a request. Null if there is none: an `authorization` of another scheme, as proxies use, is
 * ignored.
 * @throws SluiceError conflicting_api_keys
 */
export function apiKeyIn(headers: Headers): string | null {
  let found = bearerIn(headers.authorization);
  for (const name of KEY_HEADERS) {
    const value = headers[name];
    const key = typeof value === 'string' ? value.trim() : '';
    if (key === '') continue;
    if (found !== null && found !== key)
      throw new SluiceError('conflicting_api_keys', { values: { headers: namesOfKeyHeaders(headers).join(', ') } });
    found = key;
  }
  return found;
}

/** Whether a request contains at least one API key. */
export function sendsApiKey(headers: Headers): boolean {
  return namesOfKeyHeaders(headers).length > 0;
}

/** The headers that contain an API key. */
export function namesOfKeyHeaders(headers: Headers): string[] {
  const others = KEY_HEADERS.filter((name) => typeof headers[name] === 'string' && headers[name].trim() !== '');
  return bearerIn(headers.authorization) === null ? others : ['authorization', ...others];
}

/** The account selected by a signed-in user, by its id or its global GraphQL id. */
export function selectedAccountIn(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const text = Buffer.from(value.slice(0, 1_000), 'base64url').toString();
  return text.startsWith('Account:') ? text.slice('Account:'.length) : value;
}
