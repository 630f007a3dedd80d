import { SluiceError } from '../errors/index.ts';
import type { OutboundGuard } from './guard.ts';
import type { MediaFetcher } from './media-fetcher.ts';

/** Signed links to storage are long. */
const MAX_URL_LENGTH = 16_384;
const MAX_BYTES = 20 * 1024 * 1024;
/** Of all requests together: others wait. */
const MAX_CONCURRENT = 32;
const FETCH_MS = 60_000;
/** What a model takes. Anything else would show what a server of this network's answers says. */
const MEDIA_TYPE = /^(?:image|audio|video)\/[a-z0-9.+-]{1,100}$|^application\/pdf$|^text\/plain$/;

export interface ForwardedMediaParts {
  /** Without the names of this server: links to its media may go to others. */
  readonly guard: OutboundGuard;
  readonly fetcher: Pick<MediaFetcher, 'fetch'>;
  /** As configured now: ids of connections that are sent no addresses. */
  readonly inlining: () => ReadonlySet<string>;
}

/** Addresses that clients name in requests: checked before they are forwarded, and fetched here for servers of the operator's own. */
export class ForwardedMedia {
  readonly #parts: ForwardedMediaParts;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(parts: ForwardedMediaParts) {
    this.#parts = parts;
  }

  get inlinesAny(): boolean {
    return this.#parts.inlining().size > 0;
  }

  inlines(connectionId: string): boolean {
    return this.#parts.inlining().has(connectionId);
  }

  check(url: string, param: string): void {
    this.#parts.guard.checkUrl(url, param, MAX_URL_LENGTH);
  }

  async fetch(url: string, param: string): Promise<string> {
    if (this.#running >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await this.#fetchNow(url, param);
    } catch (cause) {
      if (cause instanceof SluiceError && cause.code === 'invalid_value') throw cause;
      throw invalid(param, 'it could not be fetched. Send the file itself as a data: URL.', cause);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #fetchNow(url: string, param: string): Promise<string> {
    const source = { provider: 'client', connectionId: '' };
    const signal = AbortSignal.timeout(FETCH_MS);
    const { contentType, content } = await this.#parts.fetcher.fetch(source, url, signal);
    if (!MEDIA_TYPE.test(contentType)) throw invalid(param, 'there is no picture, sound, video or document there.');
    const parts: Buffer[] = [];
    let length = 0;
    for await (const bytes of content) {
      length += bytes.length;
      if (length > MAX_BYTES) throw invalid(param, `what is there is larger than ${MAX_BYTES} bytes.`);
      parts.push(bytes);
    }
    return `data:${contentType};base64,${Buffer.concat(parts).toString('base64')}`;
  }
}

function invalid(param: string, reason: string, cause?: unknown): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason }, cause });
}
