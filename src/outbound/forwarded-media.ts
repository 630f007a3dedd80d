import { SluiceError } from '../errors/index.ts';
import { DownloadSlots } from './download-slots.ts';
import type { OutboundGuard } from './guard.ts';
import type { MediaFetcher } from './media-fetcher.ts';

/** Pre-signed storage URLs are long. */
const MAX_URL_LENGTH = 16_384;
const MAX_BYTES = 20 * 1024 * 1024;
const NO_MEDIA = 'its content is not an image, audio, a video or a document.';
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

/** A download for a request. */
export interface Download {
  readonly accountId: string;
  /** Ends it, also while it waits for others. */
  readonly signal: AbortSignal;
  /** Called with the length of each chunk. Ends the download where it throws. */
  onBytes(length: number): void;
}

/** URLs in requests: checked before they are forwarded, and fetched for self-hosted servers. */
export class ForwardedMedia {
  readonly #dependencies: ForwardedMediaDependencies;
  readonly #slots = new DownloadSlots();

  constructor(dependencies: ForwardedMediaDependencies) {
    this.#dependencies = dependencies;
  }

  inlines(connectionId: string): boolean {
    return this.#dependencies.inlining().has(connectionId);
  }

  check(url: string, param: string): void {
    this.#dependencies.guard.checkUrl(url, param, MAX_URL_LENGTH);
  }

  async fetch(url: string, param: string, download: Download): Promise<string> {
    const { accountId, signal } = download;
    await this.#slots.take(accountId, signal);
    try {
      const ended = AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
      return await this.#fetchNow(url, param, { ...download, signal: ended });
    } catch (cause) {
      if (cause instanceof SluiceError && cause.code === 'invalid_value') throw cause;
      throw invalid(param, 'it could not be fetched. Send the content itself, in base64.', cause);
    } finally {
      this.#slots.release(accountId);
    }
  }

  async #fetchNow(url: string, param: string, download: Download): Promise<string> {
    const source = { provider: 'client', connectionId: '' };
    const { contentType, content } = await this.#dependencies.fetcher.fetch(source, url, download.signal);
    const isUnknown = UNKNOWN_TYPE.test(contentType);
    if (!isUnknown && !MEDIA_TYPE.test(contentType)) throw invalid(param, NO_MEDIA);
    const parts: Buffer[] = [];
    let length = 0;
    for await (const bytes of content) {
      length += bytes.length;
      if (length > MAX_BYTES) throw invalid(param, `its content is larger than ${MAX_BYTES} bytes.`);
      download.onBytes(bytes.length);
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
