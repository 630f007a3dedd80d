import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';
import type { IsLocalRequest } from '../../services/client-request/local-request.ts';
import { bearerIn, hostOf } from '../../services/client-request/request-credentials.ts';
import type { IsKnownHost } from '../http/known-host.ts';

/** @throws SluiceError metrics_not_allowed */
export type RequireMetricsReader = (request: IncomingMessage) => void;

export interface MetricsAccess {
  /** The bearer token that readers must send, if it is set. */
  readonly token: string | undefined;
  readonly isLocal: IsLocalRequest;
  readonly isKnownHost: IsKnownHost;
}

/** Access to metrics at the main address: with the token, or without a configured token from this machine. */
export function metricsReaders({ token, isLocal, isKnownHost }: MetricsAccess): RequireMetricsReader {
  if (token !== undefined) return holdersOf(token);
  return (request) => {
    // Pages of other sites in a browser on this machine also send local requests.
    if (!isLocal(request) || !isKnownHost(hostOf(request))) throw new SluiceError('metrics_not_allowed');
  };
}

/** Access at a separate address, which the operator restricts. */
export function metricsReadersAtOwnAddress(token: string | undefined): RequireMetricsReader {
  return token === undefined ? () => undefined : holdersOf(token);
}

function holdersOf(token: string): RequireMetricsReader {
  const wanted = digestOf(token);
  return ({ headers }) => {
    const given = bearerIn(headers.authorization);
    if (given === null || !timingSafeEqual(digestOf(given), wanted)) throw new SluiceError('metrics_not_allowed');
  };
}

/** Of constant length, for the comparison. */
function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
