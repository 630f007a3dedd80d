import type { IncomingMessage } from 'node:http';
import { isLoopback } from './network-of.ts';

/** Whether a request was made on this machine, and so by somebody who may use it. */
export type IsLocalRequest = (request: IncomingMessage) => boolean;

/** What proxies say of whom they ask for. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * A proxy on this machine asks from a loopback address, for whomever. What it says of them is believed where the operator trusts
 * it; else its mere words show that the request is another's.
 * @param trustsProxies whether Express' `ip` is the one that a trusted proxy tells
 */
export function localRequests(trustsProxies: boolean): IsLocalRequest {
  return (request) => {
    if (!isLoopback(request.socket.remoteAddress)) return false;
    if (trustsProxies) return 'ip' in request && typeof request.ip === 'string' && isLoopback(request.ip);
    return forwarding.every((name) => request.headers[name] === undefined);
  };
}
