import { Agent, type buildConnector } from 'undici';
import { type SluiceError, unreachable } from '../../../errors/index.ts';
import type { ConnectionSettings } from '../../contract.ts';
import { connector } from '../../shared/sockets/connector.ts';
import { traceHeaders } from '../../shared/tracing/outbound-trace.ts';
import { FetchedAnswer, type FetchWatch } from './fetched-answer.ts';

/** The `fetch` function that the packages call, as the platform defines it. */
export type Fetch = typeof globalThis.fetch;

/**
 * The packages' network access: a connection pool per connection, dialled as configured. It offers no content encoding,
 * follows no redirects and has no response timeout, since the gateway checks the time between parts itself. Network
 * errors are thrown as SluiceErrors: the packages pass them on as a cause.
 */
export class ConnectionFetch {
  readonly #provider: string;
  readonly #agent: Agent;
  /** For URLs in responses: they may lead anywhere. */
  readonly #foreign: Agent;
  readonly #watches = new WeakMap<AbortSignal, FetchWatch>();
  readonly fetch: Fetch = (input, init) => this.#fetch(input, init);

  constructor(provider: string, { connectTimeoutMs, dial, foreignDial }: ConnectionSettings) {
    this.#provider = provider;
    this.#agent = agent(dial ?? connector(connectTimeoutMs));
    this.#foreign = agent(dial ?? foreignDial ?? connector(connectTimeoutMs));
  }

  /** Registers an observer of the requests and responses with this signal. */
  watch(signal: AbortSignal, watch: FetchWatch): void {
    this.#watches.set(signal, watch);
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.close(), this.#foreign.close()]);
  }

  async #fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const { url, method, headers, body } = await encoded(input, init);
    const signal = init.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    const answer = new FetchedAnswer(this.#provider, signal, signal ? this.#watches.get(signal) : undefined);
    const { origin, pathname, search } = new URL(url);
    if (!/^https?:/.test(origin)) throw this.#unreachable();
    // A request without credentials is not for the provider's API, but for a result that a response links to.
    const toForeign = method === 'GET' && !hasCredentials(headers);
    (toForeign ? this.#foreign : this.#agent).dispatch(
      { origin, path: pathname + search, method, headers: toForeign ? headers : [...headers, ...traceHeaders()], body },
      answer,
    );
    return answer.response;
  }

  #unreachable(): SluiceError {
    return unreachable({ provider: this.#provider, reason: 'its URL is not one of HTTP', detail: 'no HTTP URL' });
  }
}

function agent(connect: buildConnector.connector): Agent {
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, keepAliveTimeout: 30_000 });
}

/** @param headers names and values in turn */
function hasCredentials(headers: readonly string[]): boolean {
  return headers.some((name, at) => at % 2 === 0 && /^authorization$|key$|token$/i.test(name));
}

interface Encoded {
  readonly url: string;
  readonly method: Method;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | Buffer | null;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

async function encoded(input: string | URL | Request, init: RequestInit): Promise<Encoded> {
  const { body } = init;
  if (!(input instanceof Request) && (body === undefined || body === null || typeof body === 'string')) {
    const headers = new Headers(init.headers);
    return { url: String(input), method: methodOf(init.method), headers: inTurn(headers), body: body ?? null };
  }
  // The platform's own encoding of forms and blobs: undici does not recognize the platform's types.
  const { signal: _signal, ...rest } = init;
  const request = new Request(input, rest);
  const bytes = request.body === null ? null : Buffer.from(await request.arrayBuffer());
  return { url: request.url, method: methodOf(request.method), headers: inTurn(request.headers), body: bytes };
}

function methodOf(method: string | undefined): Method {
  const upper = (method ?? 'GET').toUpperCase();
  return methods.find((method) => method === upper) ?? 'POST';
}

function inTurn(headers: Headers): string[] {
  return [...headers].flat();
}
