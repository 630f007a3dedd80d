import { SluiceError } from '../errors/index.ts';
import type { OutboundGuard } from './guard.ts';
import type { MediaFetcher } from './media-fetcher.ts';

/** Pre-signed storage URLs are long. */
const MAX_URL_LENGTH = 16_384;
const MAX_BYTES = 20 * 1024 * 1024;
const NO_MEDIA = 'its content is not an image, audio, a video or a document.';
/** Over all requests. Others wait. */
const MAX_CONCURRENT = 32;
const FETCH_TIMEOUT_MS = 60_000;
/** Types that models accept. Other types are rejected, because they could expose responses of internal servers. */
const MEDIA_TYPE =
  /^(?:image|audio|video)\/[a-z0-9.+-]{1,100}$|^application\/(?:pdf|msword|vnd\.openxmlformats-officedocument\.[a-z.]{1,60})$|^text\/(?:plain|markdown|csv)$/;
/** Stores that do not know the type of an object have these. */
const UNKNOWN_TYPE = /^(?:(?:application|binary)\/(?:octet-stream|x-download))?$/;
const PDF_HEAD = '%PDF-';

export interface ForwardedMediaDependencies {
  /** Does not exclude this server: links to its media may be forwarded. */
  readonly guard: OutboundGuard;
  readonly fetcher: Pick<MediaFetcher, 'fetch'>;
  /** Current IDs of connections that receive content instead of URLs. */
  readonly inlining: () => ReadonlySet<string>;
}

/** URLs in requests: checked before they are forwarded, and fetched for self-hosted servers. */
export class ForwardedMedia {
  readonly #dependencies: ForwardedMediaDependencies;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(dependencies: ForwardedMediaDependencies) {
    this.#dependencies = dependencies;
  }

  inlines(connectionId: string): boolean {
    return this.#dependencies.inlining().has(connectionId);
  }

  check(url: string, param: string): void {
    this.#dependencies.guard.checkUrl(url, param, MAX_URL_LENGTH);
  }

  async fetch(url: string, param: string, signal: AbortSignal): Promise<string> {
    if (this.#running >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      // It may have waited for others.
      signal.throwIfAborted();
      return await this.#fetchNow(url, param, AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]));
    } catch (cause) {
      if (cause instanceof SluiceError && cause.code === 'invalid_value') throw cause;
      throw invalid(param, 'it could not be fetched. Send the file as a data: URL.', cause);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #fetchNow(url: string, param: string, signal: AbortSignal): Promise<string> {
    const source = { provider: 'client', connectionId: '' };
    const { contentType, content } = await this.#dependencies.fetcher.fetch(source, url, signal);
    const isUnknown = UNKNOWN_TYPE.test(contentType);
    if (!isUnknown && !MEDIA_TYPE.test(contentType)) throw invalid(param, NO_MEDIA);
    const parts: Buffer[] = [];
    let length = 0;
    for await (const bytes of content) {
      length += bytes.length;
      if (length > MAX_BYTES) throw invalid(param, `its content is larger than ${MAX_BYTES} bytes.`);
      parts.push(bytes);
    }
    const bytes = Buffer.concat(parts);
    if (isUnknown && bytes.toString('latin1', 0, PDF_HEAD.length) !== PDF_HEAD) throw invalid(param, NO_MEDIA);
    return `data:${isUnknown ? 'application/pdf' : contentType};base64,${bytes.toString('base64')}`;
  }
}

function invalid(param: string, reason: string, cause?: unknown): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason }, cause });
}
