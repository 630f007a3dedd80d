import type { IncomingMessage } from 'node:http';

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

/** The API key, from the header `authorization`. */
export function bearerIn(header: string | undefined): string | null {
  return /^bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1] ?? null;
}

/** Which of their accounts a signed-in user means: its id, or the global id that GraphQL tells it by. */
export function selectedAccountIn(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const text = Buffer.from(value.slice(0, 1_000), 'base64url').toString();
  return text.startsWith('Account:') ? text.slice('Account:'.length) : value;
}
