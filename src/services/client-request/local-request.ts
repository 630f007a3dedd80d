import type { IncomingMessage } from 'node:http';
import { isLoopback } from './network-of.ts';

/** Whether a request was made on this machine, by someone who has access to it. */
export type IsLocalRequest = (request: IncomingMessage) => boolean;

/** Headers by which proxies describe their clients. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * A proxy on this machine sends requests of any client from a loopback address. Its headers are used if the operator trusts
 * it; otherwise their presence shows that the request is not local.
 * @param trustsProxies whether Express' `ip` is the address that a trusted proxy reports
 */
export function localRequests(trustsProxies: boolean): IsLocalRequest {
  return (request) => {
    if (!isLoopback(request.socket.remoteAddress)) return false;
    if (trustsProxies) return 'ip' in request && typeof request.ip === 'string' && isLoopback(request.ip);
    return forwarding.every((name) => request.headers[name] === undefined);
  };
}
