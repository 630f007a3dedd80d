import { Agent, type buildConnector, request } from 'undici';
import { SluiceError } from '../errors/index.ts';
import type { OutboundGuard } from './guard.ts';
import { guardedDial, type ResolveName } from './guarded-dial.ts';

const MOST_REDIRECTS = 3;
/** Until the headers, and between two parts. */
const SILENCE_MS = 30_000;

export interface MediaFetcherOptions {
  readonly guard: OutboundGuard;
  readonly connectTimeoutMs: number;
  /** Bytes; media that are longer fail while they are read. */
  readonly sizeLimit: number;
  /** The domain name system where absent. */
  readonly resolve?: ResolveName;
}

export interface FetchedContent {
  /** In lower case, without parameters; empty where none is told. */
  readonly contentType: string;
  readonly content: AsyncIterable<Buffer>;
}

/** Fetches media from addresses that somebody else named: each hop is looked at by the guard. */
export class MediaFetcher {
  readonly #guard: OutboundGuard;
  readonly #agent: Agent;
  readonly #sizeLimit: number;

  constructor({ guard, connectTimeoutMs, sizeLimit, resolve }: MediaFetcherOptions) {
    this.#guard = guard;
    this.#sizeLimit = sizeLimit;
    const connect: buildConnector.connector = guardedDial({ guard, connectTimeoutMs, ...(resolve && { resolve }) });
    this.#agent = new Agent({ connect, headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS, pipelining: 1 });
  }

  /**
   * @param provider whom an error names
   * @throws SluiceError provider_invalid_response for an address that may not be called or gives nothing, provider_unreachable
   */
  async fetch(provider: string, url: string, signal: AbortSignal): Promise<FetchedContent> {
    let next = url;
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      const answer = await this.#get(provider, next, signal);
      const { statusCode, headers, body } = answer;
      const { location } = headers;
      if (statusCode === 200) {
        const told = Number(headers['content-length'] ?? 0);
        if (told > this.#sizeLimit) {
          body.destroy();
          throw invalid(provider, `media of ${told} bytes`);
        }
        const contentType = String(headers['content-type'] ?? '');
        return {
          contentType: (contentType.split(';', 1)[0] ?? '').trim().toLowerCase(),
          content: bounded(provider, body, this.#sizeLimit),
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
    await this.#agent.destroy();
  }

  async #get(provider: string, url: string, signal: AbortSignal) {
    let checked: URL;
    try {
      checked = this.#guard.checkUrl(url);
    } catch (cause) {
      throw new SluiceError('provider_invalid_response', {
        values: { provider },
        detail: 'media at a refused URL',
        cause,
      });
    }
    try {
      return await request(checked, { dispatcher: this.#agent, signal, headers: { accept: '*/*' } });
    } catch (cause) {
      if (cause instanceof SluiceError) throw invalid(provider, 'media at a refused address');
      throw new SluiceError('provider_unreachable', { values: { provider }, detail: 'its media', cause });
    }
  }
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
