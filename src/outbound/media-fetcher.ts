import { Agent, type buildConnector, request } from 'undici';
import { SluiceError, unreachable } from '../errors/index.ts';
import { guardedDial, type ResolveName } from './guarded-dial.ts';
import { portOf, type OutboundGuard } from './guard.ts';

const MAX_REDIRECTS = 3;
/** Pre-signed storage URLs are long. */
const MAX_URL_LENGTH = 16_384;
/** Until the headers, and between two chunks. */
const IDLE_TIMEOUT_MS = 30_000;

export interface MediaFetcherOptions {
  readonly guard: OutboundGuard;
  /** As configured now. */
  readonly connectTimeoutMs: () => number;
  /** In bytes. Larger media fail while they are read. */
  readonly sizeLimit: number;
  /**
   * Base URL of a provider connection of the operator; null for other connections. Media URLs in its responses may be on that
   * server, even at a private address.
   */
  readonly operatorsBase?: (connectionId: string) => string | null;
  /** Defaults to DNS. */
  readonly resolve?: ResolveName;
}

export interface FetchSource {
  /** Named in errors. */
  readonly provider: string;
  readonly connectionId: string;
}

interface GuardedAgent {
  readonly guard: OutboundGuard;
  readonly agent: Agent;
}

export interface FetchedContent {
  /** In lower case, without parameters; empty if absent. */
  readonly contentType: string;
  readonly content: AsyncIterable<Buffer>;
}

/** Fetches media from untrusted URLs. The guard checks each redirect. */
export class MediaFetcher {
  readonly #options: MediaFetcherOptions;
  readonly #public: GuardedAgent;
  /** By `host:port` of an operator's server. */
  readonly #own = new Map<string, GuardedAgent>();

  constructor(options: MediaFetcherOptions) {
    this.#options = options;
    this.#public = this.#createAgent(options.guard);
  }

  /**
   * @throws SluiceError provider_invalid_response for a URL that is not allowed or has no content, provider_unreachable
   */
  async fetch({ provider, connectionId }: FetchSource, url: string, signal: AbortSignal): Promise<FetchedContent> {
    const { sizeLimit } = this.#options;
    let own = authorityOf(this.#options.operatorsBase?.(connectionId) ?? null);
    let next = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      // A redirect from another server back to the operator's server is not exempt.
      if (authorityOf(next) !== own) own = null;
      const answer = await this.#get(provider, next, own === null ? this.#public : this.#ownAgent(own), signal);
      const { statusCode, headers, body } = answer;
      const { location } = headers;
      if (statusCode === 200) {
        const length = Number(headers['content-length'] ?? 0);
        if (length > sizeLimit) {
          body.destroy();
          throw invalid(provider, `media of ${length} bytes`);
        }
        const contentType = String(headers['content-type'] ?? '');
        return {
          contentType: (contentType.split(';', 1)[0] ?? '').trim().toLowerCase(),
          content: bounded(provider, body, sizeLimit),
        };
      }
      await body.dump().catch(() => undefined);
      if (
        ![301, 302, 303, 307, 308].includes(statusCode) ||
        typeof location !== 'string' ||
        !URL.canParse(location, next)
      )
        throw invalid(provider, `the media request returned status ${statusCode}`);
      next = new URL(location, next).href;
    }
    throw invalid(provider, 'too many redirects of a media request');
  }

  async close(): Promise<void> {
    await Promise.all([this.#public, ...this.#own.values()].map(({ agent }) => agent.destroy()));
  }

  #ownAgent(authority: string): GuardedAgent {
    const found = this.#own.get(authority) ?? this.#createAgent(this.#options.guard.exempting([authority]));
    this.#own.set(authority, found);
    return found;
  }

  #createAgent(guard: OutboundGuard): GuardedAgent {
    const limits = { headersTimeout: IDLE_TIMEOUT_MS, bodyTimeout: IDLE_TIMEOUT_MS, pipelining: 1 };
    return { guard, agent: new Agent({ connect: this.#dial(guard), ...limits }) };
  }

  #dial(guard: OutboundGuard): buildConnector.connector {
    const { resolve } = this.#options;
    const build = (connectTimeoutMs: number) => guardedDial({ guard, connectTimeoutMs, ...(resolve && { resolve }) });
    let timeoutMs = this.#options.connectTimeoutMs();
    let dial = build(timeoutMs);
    return (destination, callback) => {
      const configuredMs = this.#options.connectTimeoutMs();
      // Built anew only then: a connector remembers TLS sessions.
      if (configuredMs !== timeoutMs) dial = build(configuredMs);
      timeoutMs = configuredMs;
      dial(destination, callback);
    };
  }

  async #get(provider: string, url: string, { guard, agent }: GuardedAgent, signal: AbortSignal) {
    let checked: URL;
    try {
      checked = guard.checkUrl(url, null, MAX_URL_LENGTH);
    } catch (cause) {
      throw new SluiceError('provider_invalid_response', {
        values: { provider },
        detail: 'media at a refused URL',
        cause,
      });
    }
    try {
      return await request(checked, { dispatcher: agent, signal, headers: { accept: '*/*' } });
    } catch (cause) {
      if (cause instanceof SluiceError) throw invalid(provider, 'media at a refused address');
      throw unreachable({ provider, detail: 'its media', cause });
    }
  }
}

/** `host:port`, IPv6 addresses in brackets; null if the text is not a URL. */
function authorityOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${portOf(protocol, port)}`;
}

async function* bounded(provider: string, body: AsyncIterable<Buffer>, limit: number): AsyncIterable<Buffer> {
  let length = 0;
  try {
    for await (const bytes of body) {
      length += bytes.length;
      if (length > limit) throw invalid(provider, `media of more than ${limit} bytes`);
      yield bytes;
    }
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError('provider_stream_cut', { values: { provider }, detail: 'its media', cause });
  }
}

function invalid(provider: string, detail: string): SluiceError {
  return new SluiceError('provider_invalid_response', { values: { provider }, detail });
}
