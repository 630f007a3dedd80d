import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { MediaFetcher } from '../../src/outbound/media-fetcher.ts';
import type { FetchMedia, OpenMedia, MediaStorage, PartOf } from '../../src/services/media/media.service.ts';

interface Kept {
  readonly bytes: Buffer;
  readonly accountId: string | null;
  readonly contentType: string;
  readonly expiresAt: Date | null;
}

/** Keeps media in memory, where there is no database. */
export class FakeShelf implements MediaStorage {
  readonly kept = new Map<string, Kept>();

  async put(
    content: Uint8Array | AsyncIterable<Uint8Array>,
    { accountId, contentType, expiresAt }: Omit<Kept, 'bytes'>,
  ): Promise<{ id: string }> {
    const bytes = content instanceof Uint8Array ? Buffer.from(content) : await buffer(Readable.from(content));
    const id = randomUUID();
    this.kept.set(id, { bytes, accountId, contentType, expiresAt });
    return { id };
  }

  getUnscoped(id: string, part?: PartOf): Promise<OpenMedia | null> {
    const found = this.kept.get(id);
    if (found === undefined) return Promise.resolve(null);
    const { bytes, contentType } = found;
    const all = { first: 0, last: bytes.length - 1 };
    const { first, last } = (part === undefined ? all : part(bytes.length)) ?? { first: 0, last: -1 };
    const stream = Readable.from([bytes.subarray(first, last + 1)]);
    return Promise.resolve({ blob: { contentType, size: bytes.length }, first, last, stream });
  }
}

/** Fetches as the server does, but from this machine's own fake providers too. */
export function loopbackFetch(): FetchMedia {
  return (source, url, signal) => {
    const { host } = new URL(url);
    const guard = new OutboundGuard(host.startsWith('127.0.0.1:') ? [host] : []);
    const fetcher = new MediaFetcher({ guard, connectTimeoutMs: () => 60_000, sizeLimit: 1024 * 1024 });
    return fetcher.fetch(source, url, signal);
  };
}
