import { causesOf, exhaustedResource } from './exhausted-resource.ts';
import { resourcesExhausted, SluiceError } from './sluice-error.ts';

/** What happened, by Node's and undici's codes: none of it contains an address. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'its host name is not known (DNS)',
  EAI_AGAIN: 'the name servers did not respond (DNS)',
  ENODATA: 'its host name has no address (DNS)',
  ESERVFAIL: 'the name servers of its host failed (DNS)',
  ETIMEOUT: 'the name servers of its host did not respond in time (DNS)',
  EHOSTUNREACH: 'there is no network route to its host',
  ENETUNREACH: 'there is no network route to its host',
  ECONNRESET: 'the connection was closed before a response',
  EPIPE: 'the connection was closed before a response',
  UND_ERR_SOCKET: 'the connection was closed before a response',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was established in time',
  ETIMEDOUT: 'no connection was established in time',
  UND_ERR_ABORTED: 'it did not respond in time',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is not signed by a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate is not signed by a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate is not signed by a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its TLS certificate is not signed by a trusted authority',
};

export interface Unreachable {
  readonly provider: string;
  /** The error of the socket. */
  readonly cause?: unknown;
  /** In place of a reason from the cause. */
  readonly reason?: string;
  /** The host, for connections of the account itself: only their owner may know it. */
  readonly ownHost?: string | null;
  readonly detail?: string;
}

/**
 * provider_unreachable, with a reason that any client may read; resources_exhausted where this server could not try, which is no
 * failure of the provider.
 */
export function unreachable({ provider, cause, reason, ownHost = null, detail }: Unreachable): SluiceError {
  const resource = exhaustedResource(cause);
  if (resource !== null) return resourcesExhausted(resource, cause);
  const values = {
    provider,
    place: ownHost === null ? '' : ` at ${ownHost}`,
    reason: reason ?? reasonOf(cause) ?? 'the connection failed',
  };
  return new SluiceError('provider_unreachable', { values, cause, ...(detail !== undefined && { detail }) });
}

function reasonOf(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if (cause instanceof SluiceError && cause.code === 'outbound_refused')
      return 'requests to its address are not allowed';
    const code = cause.name === 'TimeoutError' ? 'UND_ERR_ABORTED' : 'code' in cause ? String(cause.code) : '';
    if (Object.hasOwn(reasons, code)) return reasons[code];
    if (/^ERR_(?:TLS|SSL)_/.test(code) || code === 'EPROTO') return 'the TLS handshake failed';
  }
  return undefined;
}
