import { expect, it } from 'vitest';
import { ContentQueue } from '../../src/gateway/content/content-queue.ts';
import { compileRedaction } from '../../src/gateway/content/redaction/redact.ts';
import { ContentSeal } from '../../src/services/content-log/content-seal.ts';
import { SegmentStore } from '../../src/services/content-log/segment-store.ts';
import type { NewBlob, StoredBlob } from '../../src/storage/blob-store.ts';
import { completion, startFakeProvider } from '../harness/fake-provider.ts';
import { secret, startGateway } from '../harness/gateway.ts';
import { MemoryDrops } from '../harness/memory-drops.ts';

const REQUESTS = 10_000;
const CONCURRENCY = 20;
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Of a prompt: all of them do not fit into that. */
const PROMPT_LENGTH = 10_000;

/** Stores nothing until it is released. Counts what it holds. */
class StalledStore {
  readonly eventIds: string[] = [];
  heldBytes = 0;
  readonly #released = Promise.withResolvers<void>();

  async put(content: Uint8Array | AsyncIterable<Uint8Array>, meta: NewBlob): Promise<StoredBlob> {
    const size = content instanceof Uint8Array ? content.length : 0;
    this.heldBytes += size;
    await this.#released.promise;
    this.heldBytes -= size;
    const id = crypto.randomUUID();
    return { id, ...meta, size, sha256: Buffer.alloc(32), createdAt: new Date() };
  }

  async query<Row extends object>(_text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // An array as PostgreSQL writes it.
    this.eventIds.push(...String(values[0]).slice(1, -1).split(','));
    return [];
  }

  release(): void {
    this.#released.resolve();
  }
}

it('serves 10,000 requests while the store of content is stalled, in bounded memory, and counts what it drops', async () => {
  const store = new StalledStore();
  const redaction = compileRedaction({ detectors: ['email', 'secret'], customPatterns: [] });
  const log = { warn: () => undefined };
  const drops = new MemoryDrops();
  const content = new ContentQueue({
    policies: { of: () => ({ level: 'full', redaction, isSearchable: false }) },
    store: new SegmentStore({ database: store, blobs: store, seal: new ContentSeal('a master key of this test'), log }),
    drops,
    log,
    isTemporary: () => false,
  });
  const provider = await startFakeProvider(completion());
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  const gateway = await startGateway({ openai: provider.url, content, key: { limits } });
  try {
    const messages = [{ role: 'user', content: 'word '.repeat(PROMPT_LENGTH / 5) }];
    const body = JSON.stringify({ model: 'openai/gpt-4o', messages });
    const ids = new Set<string>();
    let left = REQUESTS;
    let peakBytes = 0;
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body,
        });
        await response.arrayBuffer();
        expect(response.status).toBe(200);
        ids.add(response.headers.get('x-request-id') ?? '');
        peakBytes = Math.max(peakBytes, content.budget.used + store.heldBytes);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, client));
    expect(ids.size).toBe(REQUESTS);
    expect(peakBytes).toBeLessThanOrEqual(MAX_MEMORY_BYTES);
    expect(content.droppedCount).toBeGreaterThan(0);
    store.release();
    expect(await content.flush(600_000)).toBe(true);
    const stored = store.eventIds;
    expect(stored.length).toBeGreaterThan(0);
    expect([stored.length, drops.eventIds.length]).toEqual([content.stored, content.droppedCount]);
    expect(stored.length + drops.eventIds.length).toBe(REQUESTS);
    // Each request says what became of its content, once.
    const logged = [...stored, ...drops.eventIds].map((eventId) => `req_${eventId.replaceAll('-', '')}`);
    expect(new Set(logged)).toEqual(ids);
    expect(content.budget.used).toBe(0);
  } finally {
    store.release();
    await gateway.close();
    await provider.close();
  }
});
