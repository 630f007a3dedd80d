import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';
import type { IsLocalRequest } from '../../services/accounts/local-request.ts';
import { bearerIn, hostOf } from '../../services/accounts/request-credentials.ts';
import type { IsKnownHost } from '../known-host.ts';

/** @throws SluiceError metrics_not_allowed */
export type RequireMetricsReader = (request: IncomingMessage) => void;

export interface MetricsAccess {
  /** Whoever sends it as a bearer token reads; nobody else does. */
  readonly token: string | undefined;
  readonly isLocal: IsLocalRequest;
  readonly isKnownHost: IsKnownHost;
}

/** Who reads metrics where every request comes: who has the token, or where there is none, who is on this machine. */
export function metricsReaders({ token, isLocal, isKnownHost }: MetricsAccess): RequireMetricsReader {
  if (token !== undefined) return holdersOf(token);
  return (request) => {
    // A page of another site, in a browser of this machine, asks from it as well.
    if (!isLocal(request) || !isKnownHost(hostOf(request))) throw new SluiceError('metrics_not_allowed');
  };
}

/** The same at an address of its own, which is the operator's to close. */
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

/** Of the same length for all. */
function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
