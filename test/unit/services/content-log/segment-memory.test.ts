import { describe, expect, it } from 'vitest';
import type { FinishedContent } from '../../../../src/gateway/content/content-log.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { ContentSeal } from '../../../../src/services/content-log/content-seal.ts';
import { SegmentMemory } from '../../../../src/services/content-log/segment-memory.ts';
import { SegmentStore } from '../../../../src/services/content-log/segment-store.ts';
import type { BlobStore } from '../../../../src/storage/blob-store.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const accounts = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'] as const;
/** Each has a segment of 600 kB, whose memory is kept. */
const CONTENTS = 600;

function contents(accountId: string, began = Date.UTC(2026, 5, 1, 12, 30)): FinishedContent[] {
  const rest = { level: 'full' as const, redactions: {}, searchText: null };
  const document = Buffer.from(JSON.stringify({ request: 'a'.repeat(960) }));
  return Array.from({ length: CONTENTS }, () => ({
    ...rest,
    eventId: newEventIds(began).eventId,
    accountId,
    document,
  }));
}

/** A put that a test ends. */
interface Put {
  readonly accountId: string;
  readonly bytes: Buffer;
  /** When it began. */
  readonly copy: Buffer;
  end(error?: Error): void;
}

function start() {
  const puts: Put[] = [];
  const clock = new FakeClock();
  const put = (bytes: Uint8Array, { accountId }: { readonly accountId: string }): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const end = (error?: Error): void => (error === undefined ? resolve({ id: accounts[0] }) : reject(error));
    puts.push({ accountId, bytes: bytes as Buffer, copy: Buffer.from(bytes), end });
    return promise;
  };
  const store = new SegmentStore({
    database: { query: async () => [] },
    blobs: { put: put as unknown as BlobStore['put'] },
    seal: new ContentSeal('a master key of this test'),
    log: { warn: () => undefined },
    clock,
  });
  /** Resolves once the put has begun. */
  const begun = async (at: number): Promise<Put> => {
    while (puts[at] === undefined) await new Promise((resolve) => setImmediate(resolve));
    return puts[at];
  };
  return { store, clock, begun };
}

const memoryOf = ({ bytes }: Put): ArrayBufferLike => bytes.buffer;

describe('the memory of segments', () => {
  it('is used again once a segment is stored', async () => {
    const { store, begun } = start();
    const puts: Put[] = [];
    for (let at = 0; at < 3; at++) {
      const storing = store.store(contents(accounts[0]));
      puts.push(await begun(at));
      puts.at(-1)?.end();
      await storing;
    }
    expect(new Set(puts.map(memoryOf)).size).toBe(1);
    expect(puts[0]?.copy.equals(puts[1]?.copy ?? Buffer.alloc(0))).toBe(false);
  });

  it('is not used again while a segment is being stored, nor after that failed', async () => {
    const { store, clock, begun } = start();
    const first = store.store(contents(accounts[0]));
    (await begun(0)).end();
    await first;
    const stalled = store.store(contents(accounts[0]));
    const late = await begun(1);
    await clock.advanceAsync(500);
    const content = (await stalled).late.get(accounts[0]);
    expect(content).toBeDefined();
    const failing = store.store(contents(accounts[1]));
    const failed = await begun(2);
    failed.end(new Error('disk full'));
    await failing;
    const others: Put[] = [];
    for (let at = 3; at < 6; at++) {
      const storing = store.store(contents(accounts[1]));
      others.push(await begun(at));
      others.at(-1)?.end();
      await storing;
    }
    for (const put of others) expect([memoryOf(late), memoryOf(failed)]).not.toContain(memoryOf(put));
    for (const put of [late, failed]) expect(put.bytes.equals(put.copy)).toBe(true);
    content?.abandon();
    const following = store.store(contents(accounts[1]));
    const next = await begun(6);
    expect(memoryOf(next)).not.toBe(memoryOf(late));
    expect(late.bytes.equals(late.copy)).toBe(true);
    next.end();
    late.end();
    await Promise.all([following, content?.stored]);
  });

  it('is of one segment at a time where several accounts, and hours, are stored together', async () => {
    const { store, begun } = start();
    const [one, other] = accounts;
    const storing = store.store([...contents(one), ...contents(other), ...contents(one, Date.UTC(2026, 5, 1, 13, 30))]);
    // Either account may be the first whose segment is encrypted.
    const begunOnes = [await begun(0), await begun(1)];
    const [first, second] = begunOnes.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
    if (first === undefined || second === undefined) expect.unreachable();
    expect([first.accountId, second.accountId]).toEqual(accounts);
    expect(memoryOf(first)).not.toBe(memoryOf(second));
    first.end();
    const third = await begun(2);
    expect(memoryOf(third)).not.toBe(memoryOf(second));
    expect(second.bytes.equals(second.copy)).toBe(true);
    second.end();
    third.end();
    await storing;
  });

  it('is kept of one segment, unless it is short or long', () => {
    const memory = new SegmentMemory();
    const [one, other] = [memory.allocate(1_000_000), memory.allocate(1_000_000)];
    memory.release(one);
    memory.release(other);
    expect([memory.allocate(1_000_000).buffer, memory.allocate(1_000_000).buffer]).not.toContain(other.buffer);
    for (const bytes of [1_000, 5_000_000]) {
      const buffer = memory.allocate(bytes);
      expect(buffer.length).toBe(bytes);
      memory.release(buffer);
      expect(memory.allocate(bytes).buffer).not.toBe(buffer.buffer);
    }
    memory.release(Buffer.from(one.buffer, 8));
    expect(memory.allocate(900_000).buffer).not.toBe(one.buffer);
  });
});
