import { Agent, type buildConnector, request } from 'undici';
import { SluiceError } from '../errors/index.ts';
import { guardedDial, type ResolveName } from './guarded-dial.ts';
import { portOf, type OutboundGuard } from './guard.ts';

const MAX_REDIRECTS = 3;
/** Signed links to storage are long. */
const MAX_URL_LENGTH = 16_384;
/** Until the headers, and between two parts. */
const SILENCE_MS = 30_000;

export interface MediaFetcherOptions {
  readonly guard: OutboundGuard;
  readonly connectTimeoutMs: number;
  /** Bytes; media that are longer fail while they are read. */
  readonly sizeLimit: number;
  /**
   * Where the operator has connected a provider, by the connection's id; null for every other. Its answers may lead to that very
   * server, wherever it is.
   */
  readonly operatorsBase?: (connectionId: string) => string | null;
  /** The domain name system where absent. */
  readonly resolve?: ResolveName;
}

export interface FetchSource {
  /** Whom an error names. */
  readonly provider: string;
  readonly connectionId: string;
}

interface Passage {
  readonly guard: OutboundGuard;
  readonly agent: Agent;
}

export interface FetchedContent {
  /** In lower case, without parameters; empty where none is told. */
  readonly contentType: string;
  readonly content: AsyncIterable<Buffer>;
}

/** Fetches media from addresses that somebody else named: each hop is looked at by the guard. */
export class MediaFetcher {
  readonly #options: MediaFetcherOptions;
  readonly #public: Passage;
  /** By `host:port` of an operator's server. */
  readonly #own = new Map<string, Passage>();

  constructor(options: MediaFetcherOptions) {
    this.#options = options;
    this.#public = this.#passage(options.guard);
  }

  /**
   * @throws SluiceError provider_invalid_response for an address that may not be called or gives nothing, provider_unreachable
   */
  async fetch({ provider, connectionId }: FetchSource, url: string, signal: AbortSignal): Promise<FetchedContent> {
    const { sizeLimit } = this.#options;
    let own = authorityOf(this.#options.operatorsBase?.(connectionId) ?? null);
    let next = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      // Whom somebody else's server sends there is not let in.
      if (authorityOf(next) !== own) own = null;
      const answer = await this.#get(provider, next, own === null ? this.#public : this.#ownPassage(own), signal);
      const { statusCode, headers, body } = answer;
      const { location } = headers;
      if (statusCode === 200) {
        const told = Number(headers['content-length'] ?? 0);
        if (told > sizeLimit) {
          body.destroy();
          throw invalid(provider, `media of ${told} bytes`);
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
        throw invalid(provider, `media were answered with status ${statusCode}`);
      next = new URL(location, next).href;
    }
    throw invalid(provider, 'media were redirected too often');
  }

  async close(): Promise<void> {
    await Promise.all([this.#public, ...this.#own.values()].map(({ agent }) => agent.destroy()));
  }

  #ownPassage(authority: string): Passage {
    const found = this.#own.get(authority) ?? this.#passage(this.#options.guard.exempting([authority]));
    this.#own.set(authority, found);
    return found;
  }

  #passage(guard: OutboundGuard): Passage {
    const { connectTimeoutMs, resolve } = this.#options;
    const connect: buildConnector.connector = guardedDial({ guard, connectTimeoutMs, ...(resolve && { resolve }) });
    const limits = { headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS, pipelining: 1 };
    return { guard, agent: new Agent({ connect, ...limits }) };
  }

  async #get(provider: string, url: string, { guard, agent }: Passage, signal: AbortSignal) {
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
      throw new SluiceError('provider_unreachable', { values: { provider }, detail: 'its media', cause });
    }
  }
}

/** `host:port`, an IPv6 address in brackets; null for what is no URL. */
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
