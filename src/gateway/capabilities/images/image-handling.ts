import { SluiceError } from '../../../errors/index.ts';
import { eachPart } from '../../../providers/shared/http/concurrent-parts.ts';
import { IMAGE_HEAD_BYTES, readImageInfo, type ImageInfo } from '../../media/image-size.ts';
import type { MediaSource, MediaStore } from '../../media/media-store.ts';
import type { PublicAddress } from '../../client-response.ts';
import { sizeOf } from './input-image.ts';
import { isText } from './images-answer.ts';

/** For one image inside the response. */
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;
const HEAD_CHARACTERS = Math.ceil(IMAGE_HEAD_BYTES / 3) * 4;
const DATA_URL = /^data:[^,]{0,100};base64,/i;

export interface ImageHandlingOptions {
  readonly source: MediaSource;
  readonly store: MediaStore;
  readonly accountId: string;
  readonly publicAddress: PublicAddress;
}

/** An item of the response to the client. */
export interface DeliveredImage {
  readonly item: Record<string, unknown>;
  /** Null where its bytes were not read. */
  readonly size: string | null;
  readonly format: ImageInfo['format'] | null;
}

/** Converts the images of one response to the requested format. */
export class ImageHandling {
  readonly #options: ImageHandlingOptions;

  constructor(options: ImageHandlingOptions) {
    this.#options = options;
  }

  /**
   * @param format null for the provider's format; a link is always Sluice's own
   * @throws SluiceError provider_* where an image cannot be fetched
   */
  delivered(
    items: readonly Record<string, unknown>[],
    format: 'url' | 'b64_json' | null,
    signal: AbortSignal,
  ): Promise<DeliveredImage[]> {
    return eachPart(items, signal, async (item, ending) => {
      const { b64_json: base64, url, ...rest } = item;
      const inline = isText(base64) ? base64 : embedded(url);
      if (inline !== null) {
        const info = readImageInfo(Buffer.from(inline.slice(0, HEAD_CHARACTERS), 'base64'));
        if (format !== 'url') return described({ b64_json: inline, ...rest }, info);
        const link = await this.#publish(Buffer.from(inline, 'base64'), info, null);
        return described({ url: link, ...rest }, info);
      }
      return this.#fetched(String(url), rest, format, ending);
    });
  }

  async #fetched(
    url: string,
    rest: Record<string, unknown>,
    format: 'url' | 'b64_json' | null,
    signal: AbortSignal,
  ): Promise<DeliveredImage> {
    const { store, source } = this.#options;
    const { contentType, content } = await store.fetch(source, url, signal);
    if (format === 'b64_json') {
      const bytes = await this.#readAll(content);
      return described({ b64_json: bytes.toString('base64'), ...rest }, readImageInfo(bytes));
    }
    const { head, all } = await withHead(content);
    const info = readImageInfo(head);
    return described({ url: await this.#publish(all, info, contentType), ...rest }, info);
  }

  async #publish(
    content: Uint8Array | AsyncIterable<Uint8Array>,
    info: ImageInfo | null,
    declaredType: string | null,
  ): Promise<string> {
    const { store, accountId, publicAddress } = this.#options;
    const contentType = info === null ? (declaredType ?? 'application/octet-stream') : `image/${info.format}`;
    const { url } = await store.publish(content, { accountId, contentType, origin: publicAddress.origin ?? '' });
    return url;
  }

  async #readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of content) {
      length += part.length;
      if (length > MAX_IMAGE_BYTES)
        throw new SluiceError('provider_invalid_response', {
          values: { provider: this.#options.source.provider },
          detail: 'an image is too large',
        });
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}

function described(item: Record<string, unknown>, info: ImageInfo | null): DeliveredImage {
  return { item, size: info && sizeOf(info), format: info && info.format };
}

/** The base64 of a `data:` URL from a provider; null for any other value. */
function embedded(url: unknown): string | null {
  const [start] = isText(url) ? (DATA_URL.exec(url) ?? []) : [];
  return start === undefined || !isText(url) ? null : url.slice(start.length);
}

/** Splits off the first bytes of a stream without consuming it. */
async function withHead(
  content: AsyncIterable<Buffer>,
): Promise<{ readonly head: Buffer; readonly all: AsyncIterable<Buffer> }> {
  const iterator = content[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let length = 0;
  let ended = false;
  while (length < IMAGE_HEAD_BYTES && !ended) {
    const next = await iterator.next();
    ended = next.done === true;
    if (next.done === true) break;
    parts.push(next.value);
    length += next.value.length;
    if (readImageInfo(Buffer.concat(parts)) !== null) break;
  }
  async function* all(): AsyncIterable<Buffer> {
    yield* parts;
    if (!ended) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head: Buffer.concat(parts), all: all() };
}
