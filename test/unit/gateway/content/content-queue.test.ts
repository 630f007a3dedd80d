import { afterEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../../src/calendar/clock.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { ContentCapture } from '../../../../src/gateway/content/content-capture.ts';
import { ContentQueue } from '../../../../src/gateway/content/content-queue.ts';
import type {
  ContentStore,
  FinishedContent,
  LoggableCall,
  LoggedDocument,
  StoreResult,
} from '../../../../src/gateway/content/content-log.ts';
import { compileRedaction } from '../../../../src/gateway/content/redaction/redact.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { startFakeProvider, completion } from '../../../harness/fake-provider.ts';
import { startGateway, secret } from '../../../harness/gateway.ts';
import { MemoryDrops } from '../../../harness/memory-drops.ts';

const redaction = compileRedaction({ detectors: ['email'], customPatterns: [] });
const none = compileRedaction({ detectors: [], customPatterns: [] });
const silent = { warn: () => undefined };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Nothing gathers. */
const impatientClock: Clock = {
  ...systemClock,
  setTimeout: (run, ms) => systemClock.setTimeout(run, ms === 1_000 ? 0 : ms),
};

class MemoryStore implements ContentStore {
  readonly contents = new Map<string, LoggedDocument>();
  /** Their sizes. */
  readonly batches: number[] = [];
  failure: Error | null = null;
  /** What a stalled store waits for. */
  stall: Promise<void> | null = null;

  async store(batch: readonly FinishedContent[]): Promise<StoreResult> {
    this.batches.push(batch.length);
    if (this.stall !== null) await this.stall;
    if (this.failure !== null) throw this.failure;
    for (const { eventId, document } of batch) this.contents.set(eventId, JSON.parse(document.toString()));
    return { failed: new Map(), rejected: new Map(), late: new Map() };
  }
}

function queueOn(store: ContentStore, maxBytes: number, clock: Clock) {
  const drops = new MemoryDrops();
  const content = new ContentQueue({
    policies: { of: () => ({ level: 'full', redaction, isSearchable: false }) },
    store,
    drops,
    log: silent,
    isTemporary: () => false,
    clock,
    maxBytes,
  });
  return { content, drops };
}

async function start(store: ContentStore, maxBytes = 1024 * 1024, clock: Clock = impatientClock) {
  const { content, drops } = queueOn(store, maxBytes, clock);
  const provider = await startFakeProvider(
    completion({
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Write to ann@example.com.' }, finish_reason: 'stop' },
      ],
    }),
  );
  closers.push(() => provider.close());
  const gateway = await startGateway({ openai: provider.url, content });
  closers.push(async () => void (await gateway.close()));
  const chat = async (text: string): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: text }] }),
    });
    await response.text();
    return response.status;
  };
  return { content, drops, chat };
}

describe('the queue of logged content', () => {
  it('stores what is redacted, never the original', async () => {
    const store = new MemoryStore();
    const { content, chat } = await start(store);
    expect(await chat('I am bob@example.com.')).toBe(200);
    await content.flush(60_000);
    const [document] = store.contents.values();
    const text = JSON.stringify(document);
    expect(text).toContain('I am [redacted:email].');
    expect(text).toContain('Write to [redacted:email].');
    expect(text).not.toContain('@example.com');
    expect(content.budget.used).toBe(0);
    expect(content.stored).toBe(1);
  });

  it('drops and counts what exceeds its memory while the store is stalled, and no request waits', async () => {
    const store = new MemoryStore();
    const { promise, resolve } = Promise.withResolvers<void>();
    store.stall = promise;
    const { content, drops, chat } = await start(store, 64 * 1024);
    const statuses: number[] = [];
    for (let sent = 0; sent < 100; sent++) statuses.push(await chat('x'.repeat(2_000)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(content.budget.used).toBeLessThanOrEqual(64 * 1024);
    resolve();
    await content.flush(60_000);
    expect(content.droppedCount).toBeGreaterThan(0);
    expect(drops.eventIds).toHaveLength(content.droppedCount);
    expect(drops.eventIds.filter((eventId) => store.contents.has(eventId))).toEqual([]);
    expect(store.contents.size).toBe(content.stored);
    expect(content.stored + content.droppedCount).toBe(100);
    expect(content.budget.used).toBe(0);
  });

  it('records no response where there is no memory for the request, and counts one drop', () => {
    const { content, drops } = queueOn(new MemoryStore(), 1_024, new FakeClock());
    const call = { ...newEventIds(), key: { accountId: 'an account' }, response: {} } as LoggableCall;
    const logged = content.start({ name: 'chat' }, call, Buffer.from('{}'));
    expect(logged?.level).toBe('full');
    expect(logged?.response).toBe(call.response);
    logged?.settled(null);
    expect([content.droppedCount, drops.eventIds]).toEqual([1, [call.eventId]]);
    expect(content.budget.used).toBe(0);
  });

  it('gathers what comes while a batch is stored, as what came before', async () => {
    const store = new MemoryStore();
    const { promise, resolve } = Promise.withResolvers<void>();
    const clock = new FakeClock();
    const { content, chat } = await start(store, 1024 * 1024, clock);
    store.stall = promise;
    await chat('first');
    clock.advance(1_000);
    await expect.poll(() => store.batches).toEqual([1]);
    await chat('second');
    resolve();
    await expect.poll(() => content.stored).toBe(1);
    await chat('third');
    clock.advance(1_000);
    await expect.poll(() => content.stored).toBe(3);
    expect(store.batches).toEqual([1, 2]);
  });

  it('stores what comes in the turn in which a batch is stored', async () => {
    const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) }));
    const call = (): LoggableCall => ({ ...newEventIds(), key: { accountId: 'an account' } }) as LoggableCall;
    // So many steps of promises after it: the batch ends within them.
    for (let steps = 0; steps < 20; steps++) {
      const store = new MemoryStore();
      const { promise, resolve } = Promise.withResolvers<void>();
      store.stall = promise;
      const { content } = queueOn(store, 48 * 1024 * 1024, new FakeClock());
      const capture = (): ContentCapture =>
        new ContentCapture(content, { name: 'chat' }, call(), body, {
          level: 'full',
          redaction: none,
          isSearchable: false,
        });
      capture().finish(true);
      await expect.poll(() => store.batches, { interval: 1 }).toEqual([1]);
      resolve();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      // Enough to be stored without a timer.
      capture().finish(true);
      await expect.poll(() => content.stored, { interval: 1 }).toBe(2);
    }
  });

  it('records all that is not stored as dropped when it is closed, also what is being stored', async () => {
    const store = new MemoryStore();
    const { content, drops, chat } = await start(store);
    const { promise, resolve } = Promise.withResolvers<void>();
    store.stall = promise;
    await chat('first');
    await expect.poll(() => store.batches.length).toBe(1);
    for (const text of ['second', 'I am bob@example.com.']) await chat(text);
    await content.close(0);
    expect([content.droppedCount, new Set(drops.eventIds).size, content.budget.used]).toEqual([3, 3, 0]);
    await chat('late');
    expect(content.droppedCount).toBe(4);
    resolve();
    await promise;
    expect([content.stored, content.droppedCount, drops.eventIds.length]).toEqual([0, 4, 4]);
  });

  it('drops what cannot be stored, and goes on', async () => {
    const store = new MemoryStore();
    store.failure = new Error('the value is invalid');
    const { content, drops, chat } = await start(store);
    expect(await chat('one')).toBe(200);
    await content.flush(60_000);
    expect(content).toMatchObject({ stored: 0, droppedCount: 1 });
    expect(drops.eventIds).toHaveLength(1);
    store.failure = null;
    expect(await chat('two')).toBe(200);
    await content.flush(60_000);
    expect(content).toMatchObject({ stored: 1, droppedCount: 1 });
    expect(content.budget.used).toBe(0);
  });
});
