import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import { buildConnector } from 'undici';
import { SluiceError } from '../errors/index.ts';
import { portOf, unbracketed, type OutboundGuard } from './guard.ts';

const RESOLVE_TIMEOUT_MS = 2_000;
const RESOLVE_TRIES = 2;

/** All addresses of a name. @throws where it has none, or its servers do not answer */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface GuardedDialOptions {
  readonly guard: OutboundGuard;
  /** For name, socket and TLS together. */
  readonly connectTimeoutMs: number;
  /** The domain name system where absent. */
  readonly resolve?: ResolveName;
}

/**
 * Dials for undici in place of its own connector: only what the guard lets pass. A name is resolved here, once, and the
 * socket goes to the very addresses that were checked, so that no second answer can lead elsewhere. TLS and the Host header
 * keep the name. undici follows no redirect by itself, so nothing else is dialled.
 */
export function guardedDial(options: GuardedDialOptions): buildConnector.connector {
  const { guard, connectTimeoutMs: timeout, resolve = resolveName } = options;
  const exempt = buildConnector({ timeout });
  const guarded = buildConnector({ timeout, lookup: checkedLookup(guard, resolve) });
  return (destination, callback) => {
    const host = unbracketed(destination.hostname);
    const port = portOf(destination.protocol, destination.port);
    if (guard.exempts(host, port)) {
      exempt(destination, callback);
      return;
    }
    try {
      // Node asks no lookup for an address: it is checked here.
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

/** Node dials what its lookup answers, and nothing else. */
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
      // Outside of the promise: what the socket throws is not the lookup's failure.
      .then((answer) => queueMicrotask(answer));
  };
}

/**
 * Asks the name servers themselves, not the system's resolver: its few threads also read files, and a name whose servers
 * never answer would hold one for many seconds. So the machine's hosts file and search domains do not count.
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
