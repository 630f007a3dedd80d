import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { readGlobalId } from './relay/global-id.ts';
import type { Credentials, SetSession } from './context.ts';

const COOKIE = 'sluice_session';

export function httpCredentials(request: Request): Credentials {
  const { headers } = request;
  return {
    sessionToken: sessionCookie(headers.cookie),
    apiKey: bearer(headers.authorization),
    accountId: selectedAccount(headers['x-sluice-account']),
    address: request.ip ?? null,
    userAgent: headers['user-agent'] ?? null,
  };
}

/** A WebSocket's credentials are its cookie, or what it says in `connection_init`. */
export function socketCredentials(
  request: IncomingMessage,
  params: Readonly<Record<string, unknown>> | undefined,
): Credentials {
  const authorization = params?.authorization;
  return {
    sessionToken: sessionCookie(request.headers.cookie),
    apiKey: typeof authorization === 'string' ? bearer(authorization) : null,
    accountId: selectedAccount(params?.account),
    address: request.socket.remoteAddress ?? null,
    userAgent: request.headers['user-agent'] ?? null,
  };
}

/**
 * Whether a page of this host opened the socket. A browser always tells its origin, and its cookie comes along whoever
 * opens it; a program tells none.
 */
export function isSameOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

export function sessionSetter(request: Request, response: Response): SetSession {
  return (token, expiresAt) => {
    const options = { httpOnly: true, sameSite: 'lax', path: '/', secure: request.secure } as const;
    if (token === null) response.clearCookie(COOKIE, options);
    else response.cookie(COOKIE, token, { ...options, ...(expiresAt && { expires: expiresAt }) });
  };
}

function sessionCookie(header: string | undefined): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === COOKIE && value) return value;
  }
  return null;
}

function bearer(header: string | undefined): string | null {
  return /^bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1] ?? null;
}

/** Takes the global id, as `viewer.accounts` tells it. */
function selectedAccount(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return readGlobalId('Account', value) ?? value;
}
