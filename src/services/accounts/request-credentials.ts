import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';

/** A cookie's value, from the header `cookie`; null where there is none. */
export function cookieIn(header: string | undefined, wanted: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value) return value;
  }
  return null;
}

/** The name that a request is for, as its trusted proxies tell it where the host has such: it makes messages Express' own. */
export function hostOf(request: IncomingMessage): string | undefined {
  return 'host' in request && typeof request.host === 'string' ? request.host : request.headers.host;
}

/** The token in a header `authorization` of the scheme Bearer; null for every other scheme, and where it is empty. */
export function bearerIn(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || !(header.startsWith('Bearer ') || /^bearer\s/i.test(header))) return null;
  return header.slice('bearer '.length).trim() || null;
}

/** Headers that hold an API key beside `authorization`: those of Anthropic's, Azure's and Google's clients. */
export const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** By their names in small letters. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The API key or access token that a request sends. Null where it sends none: an `authorization` of another scheme than Bearer,
 * as a proxy wants it, is none.
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

/** Whether a request sends an API key, or several. */
export function sendsApiKey(headers: Headers): boolean {
  return namesOfKeyHeaders(headers).length > 0;
}

function namesOfKeyHeaders(headers: Headers): string[] {
  const others = KEY_HEADERS.filter((name) => typeof headers[name] === 'string' && headers[name].trim() !== '');
  return bearerIn(headers.authorization) === null ? others : ['authorization', ...others];
}

/** Which of their accounts a signed-in user means: its id, or the global id that GraphQL tells it by. */
export function selectedAccountIn(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const text = Buffer.from(value.slice(0, 1_000), 'base64url').toString();
  return text.startsWith('Account:') ? text.slice('Account:'.length) : value;
}
