import { describe, expect, it } from 'vitest';
import { ContentBudget } from '../../../../src/gateway/content/content-budget.ts';
import { ContentCapture } from '../../../../src/gateway/content/content-capture.ts';
import type {
  FinishedContent,
  LateContent,
  LoggableCall,
  RejectedContents,
} from '../../../../src/gateway/content/content-log.ts';
import { ContentWriter } from '../../../../src/gateway/content/content-writer.ts';
import { compileRedaction } from '../../../../src/gateway/content/redaction/redact.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const redaction = compileRedaction({ detectors: [], customPatterns: [] });
const owner = {
  budget: new ContentBudget(1024 * 1024 * 1024),
  finished: () => undefined,
  settled: () => undefined,
  dropped: () => undefined,
};

function captured(accountId: string, body = Buffer.from('{}')): { capture: ContentCapture; content: FinishedContent } {
  const ids = newEventIds();
  const call = { ...ids, key: { accountId } } as LoggableCall;
  const policy = { level: 'full', redaction, isSearchable: false } as const;
  const capture = new ContentCapture(owner, { name: 'chat' }, call, body, policy);
  const document = Buffer.from('{}');
  const content = { level: 'full' as const, document, redactions: {}, searchText: null };
  return { capture, content: { eventId: ids.eventId, accountId, ...content } };
}

/** Fails for some accounts, and is late for others. @param refused events */
function start(
  failing: ReadonlySet<string>,
  slow: ReadonlyMap<string, LateContent> = new Map(),
  refused: ReadonlySet<string> = new Set(),
) {
  const clock = new FakeClock();
  const batches: string[][] = [];
  const stored: string[] = [];
  const dropped: string[] = [];
  const freed: string[] = [];
  const copied: string[] = [];
  const writer = new ContentWriter({
    store: {
      store: async (batch) => {
        batches.push(batch.map(({ accountId }) => accountId));
        const accounts = [...new Set(batch.map(({ accountId }) => accountId))];
        const failed = accounts.filter((each) => failing.has(each)).map((each) => [each, new Error('no key')] as const);
        const late = new Map([...slow].filter(([each]) => accounts.includes(each)));
        const refusedNow = batch.filter(({ eventId }) => refused.has(eventId));
        const rejected = new Map(refusedNow.map(({ eventId }) => [eventId, new Error('invalid')]));
        return { failed: new Map(failed), rejected, late };
      },
    },
    log: { warn: () => undefined },
    isTemporary: () => false,
    clock,
    stored: (capture) => stored.push(capture.accountId),
    drop: (capture) => dropped.push(capture.accountId),
    freed: (accountId) => freed.push(accountId),
  });
  const write = (...accounts: readonly string[]): Promise<void> => writeAll(accounts.map((each) => captured(each)));
  const writeAll = (all: readonly ReturnType<typeof captured>[]): Promise<void> => {
    return writer.write(
      all.map(({ content }) => content),
      all.map(({ capture }) => capture),
    );
  };
  return { writer, write, writeAll, clock, batches, stored, dropped, freed, copied };
}

describe('the writer of content', () => {
  it('stores the content of other accounts where that of one fails, which is tried again by itself', async () => {
    const failing = new Set(['bad']);
    const { writer, write, clock, batches, stored, dropped } = start(failing);
    await write('good', 'bad', 'other', 'bad');
    expect([stored, dropped, writer.hasRetries]).toEqual([['good', 'other'], [], true]);
    // Others do not wait for it.
    await write('good');
    await writer.writeDue();
    expect(stored).toEqual(['good', 'other', 'good']);
    failing.clear();
    clock.advance(1_000);
    await writer.writeDue();
    expect(batches.at(-1)).toEqual(['bad', 'bad']);
    expect([stored.slice(3), dropped, writer.hasRetries]).toEqual([['bad', 'bad'], [], false]);
  });

  it('drops the content of an account after three failures', async () => {
    const { writer, write, clock, batches, stored, dropped } = start(new Set(['bad']));
    await write('bad', 'good');
    for (const _ of [1, 2]) {
      clock.advance(1_000);
      await writer.writeDue();
    }
    expect([batches, stored, dropped]).toEqual([[['bad', 'good'], ['bad'], ['bad']], ['good'], ['bad']]);
    expect(writer.hasRetries).toBe(false);
  });

  it('drops what is to be tried again when it is closed', async () => {
    const { writer, write, dropped } = start(new Set(['bad']));
    await write('bad');
    writer.close();
    expect([dropped, writer.hasRetries]).toEqual([['bad'], false]);
  });

  it('drops what is refused of an account, and tries it no more', async () => {
    const [one, refused, other] = [captured('one'), captured('one'), captured('other')];
    const refusedIds = new Set([refused.content.eventId]);
    const { writer, writeAll, stored, dropped } = start(new Set(), new Map(), refusedIds);
    await writeAll([one, refused, other]);
    expect([stored, dropped, writer.hasRetries]).toEqual([['one', 'other'], ['one'], false]);
  });

  it('drops what is refused of late content', async () => {
    const late = new EndedLater();
    const [one, refused] = [captured('slow'), captured('slow')];
    const { writer, writeAll, stored, dropped } = start(new Set(), new Map([['slow', late]]));
    await writeAll([one, refused]);
    late.end.resolve(new Map([[refused.content.eventId, new Error('invalid')]]));
    await settled();
    expect([stored, dropped, writer.hasRetries]).toEqual([['slow'], ['slow'], false]);
  });

  it('copies late content, and what is tried again, out of buffers that it shares with others', async () => {
    const { writeAll, copied } = start(new Set(['bad']), new Map([['slow', new EndedLater()]]));
    const all = ['good', 'slow', 'bad'].map((each) => captured(each));
    for (const { capture } of all) capture.own = () => void copied.push(capture.accountId);
    await writeAll(all);
    expect(copied.toSorted()).toEqual(['bad', 'slow']);
  });

  it('waits for late content by itself, and says when it is stored', async () => {
    const late = new EndedLater();
    const { writer, write, stored, dropped, freed } = start(new Set(), new Map([['slow', late]]));
    await write('good', 'slow', 'good');
    expect([stored, writer.isLate('slow'), writer.isLate('good')]).toEqual([['good', 'good'], true, false]);
    await write('other');
    late.end.resolve(new Map());
    await late.stored;
    await settled();
    expect([stored, dropped, freed]).toEqual([['good', 'good', 'other', 'slow'], [], ['slow']]);
    expect(writer.isLate('slow')).toBe(false);
  });

  it('tries late content again that could not be stored', async () => {
    const late = new EndedLater();
    const slow = new Map([['slow', late]]);
    const { writer, write, clock, stored, freed } = start(new Set(), slow);
    await write('slow');
    slow.clear();
    late.end.reject(new Error('the disk is full'));
    await settled();
    expect([stored, freed, writer.hasRetries]).toEqual([[], ['slow'], true]);
    clock.advance(1_000);
    await writer.writeDue();
    expect([stored, writer.hasRetries]).toEqual([['slow'], false]);
  });

  it('drops late content when it is closed, and abandons it', async () => {
    const late = new EndedLater();
    const { writer, write, stored, dropped } = start(new Set(), new Map([['slow', late]]));
    await write('slow');
    writer.close();
    expect([dropped, late.isAbandoned]).toEqual([['slow'], true]);
    late.end.resolve(new Map());
    await settled();
    expect([stored, dropped]).toEqual([[], ['slow']]);
  });

  it('drops what is late for the longest time where much is late for seconds, so that others go on', async () => {
    const accounts = ['one', 'two', 'three'];
    const slow = new Map(accounts.map((each) => [each, new EndedLater()]));
    const { writer, writeAll, clock, dropped } = start(new Set(), slow);
    const body = Buffer.alloc(4 * 1024 * 1024);
    for (const account of accounts.slice(0, 1)) await writeAll([captured(account, body)]);
    const held = writeAll([captured('two', body), captured('three', body)]);
    await clock.whenPending(1);
    expect(dropped).toEqual([]);
    await clock.advanceAsync(10_000);
    await clock.advanceAsync(10_000);
    await held;
    expect(dropped).toEqual(['one', 'two']);
    // Nothing else of them is written before their files are done.
    expect(accounts.map((each) => writer.isLate(each))).toEqual([true, true, true]);
  });
});

class EndedLater implements LateContent {
  readonly end = Promise.withResolvers<RejectedContents>();
  readonly stored = this.end.promise;
  isAbandoned = false;

  abandon(): void {
    this.isAbandoned = true;
  }
}

/** Lets promise callbacks run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
