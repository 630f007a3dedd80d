import type { Request } from 'express';

const MAX_HOST_LENGTH = 255;
/** A name, an IPv4 address, or an IPv6 address in brackets; then perhaps a port. */
const hostForm = /^(?:[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/**
 * The origin of a request, for links in its response: `https://gateway.example`. Forwarded headers count only from trusted proxies.
 * An invalid host is replaced by the local address, so that links never contain unchecked text.
 */
export function originOf(request: Request): string {
  const { host } = request;
  const valid = typeof host === 'string' && host.length <= MAX_HOST_LENGTH && hostForm.test(host);
  return `${request.protocol === 'https' ? 'https' : 'http'}://${valid ? host.toLowerCase() : localAddress(request)}`;
}

/** Express setting with the public URL: a function, because the port may be chosen at startup. */
export const PUBLIC_URL_SETTING = 'public url';

/** The configured public origin, or the origin of the request. */
export function publicOriginOf(request: Request): string {
  const publicUrl: unknown = request.app.get(PUBLIC_URL_SETTING);
  const url: unknown = typeof publicUrl === 'function' ? publicUrl() : undefined;
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : originOf(request);
}

function localAddress({ socket: { localAddress = '127.0.0.1', localPort } }: Request): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
