import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import { buildConnector } from 'undici';
import { descriptors, noDescriptor } from '../descriptors/descriptors.ts';
import { SluiceError } from '../errors/index.ts';
import { portOf, unbracketed, type OutboundGuard } from './guard.ts';

const RESOLVE_TIMEOUT_MS = 2_000;
const RESOLVE_TRIES = 2;

/** All addresses of a name. @throws if it has none, or if its name servers do not respond */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface GuardedDialOptions {
  readonly guard: OutboundGuard;
  /** For name, socket and TLS together. */
  readonly connectTimeoutMs: number;
  /** Defaults to DNS. */
  readonly resolve?: ResolveName;
}

/**
 * A connector for undici that dials only what the guard allows. A name is resolved once, and the socket connects to the addresses
 * that were checked, which prevents DNS rebinding. TLS and the Host header use the name. undici does not follow redirects by
 * itself, so nothing else is dialled.
 */
export function guardedDial(options: GuardedDialOptions): buildConnector.connector {
  const { guard, connectTimeoutMs: timeout, resolve = resolveName } = options;
  const exempt = buildConnector({ timeout });
  const guarded = buildConnector({ timeout, lookup: checkedLookup(guard, resolve) });
  return (destination, callback) => {
    if (!descriptors.canDial) {
      queueMicrotask(() => callback(noDescriptor(), null));
      return;
    }
    const host = unbracketed(destination.hostname);
    const port = portOf(destination.protocol, destination.port);
    if (guard.exempts(host, port)) {
      exempt(destination, callback);
      return;
    }
    try {
      // Node calls no lookup for an IP address, so it is checked here.
      guard.checkHost(host, port);
    } catch (error) {
      queueMicrotask(() => callback(asError(error), null));
      return;
    }
    guarded(destination, (...dialled) => {
      const [error, socket] = dialled;
      if (error !== null) {
        callback(error, null);
        return;
      }
      try {
        guard.checkAddresses(host, [socket.remoteAddress ?? '']);
        callback(null, socket);
      } catch (refused) {
        socket.destroy();
        callback(asError(refused), null);
      }
    });
  };
}

/** Node dials only the addresses that its lookup returns. */
function checkedLookup(guard: OutboundGuard, resolve: ResolveName): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host)
      .then((addresses) => {
        guard.checkAddresses(host, addresses);
        const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = found;
        if (first === undefined) throw noAddress(host);
        return () => (all ? callback(null, found) : callback(null, first.address, first.family));
      })
      .catch((error: unknown) => () => callback(asError(error), []))
      // Outside of the promise: an error thrown by the socket is not a failure of the lookup.
      .then((answer) => queueMicrotask(answer));
  };
}

/**
 * Queries the name servers directly, because the system's resolver shares a few threads with file operations, and a name whose
 * servers do not respond would block one for many seconds. The hosts file and search domains are therefore not used.
 */
async function resolveName(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  throw answers.find((answer) => answer.status === 'rejected')?.reason ?? noAddress(name);
}

function noAddress(name: string): Error {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new SluiceError('internal_error', { cause: error });
}
