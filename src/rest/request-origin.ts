import type { Request } from 'express';

const MAX_HOST_LENGTH = 255;
/** A name, an IPv4 address, or an IPv6 address in brackets; then perhaps a port. */
const hostForm = /^(?:[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/**
 * Where the caller reached us, for links in an answer: `https://gateway.example`. What proxies say of it counts only behind
 * trusted ones. A host that is none gives the address that the request came to: a link never holds what was not checked.
 */
export function originOf(request: Request): string {
  const { host } = request;
  const valid = typeof host === 'string' && host.length <= MAX_HOST_LENGTH && hostForm.test(host);
  return `${request.protocol === 'https' ? 'https' : 'http'}://${valid ? host.toLowerCase() : localAddress(request)}`;
}

/** The setting of the Express app that says where people reach this server: a function, since a port may be chosen at the start. */
export const PUBLIC_URL_SETTING = 'public url';

/** Where people reach this server, as its operator says; where its caller did, if there is no such word. */
export function publicOriginOf(request: Request): string {
  const publicUrl: unknown = request.app.get(PUBLIC_URL_SETTING);
  const url: unknown = typeof publicUrl === 'function' ? publicUrl() : undefined;
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : originOf(request);
}

function localAddress({ socket: { localAddress = '127.0.0.1', localPort } }: Request): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
