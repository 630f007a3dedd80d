import { describe, expect, it } from 'vitest';
import { ContentBudget } from '../../../../src/gateway/content/content-budget.ts';
import { ContentCapture } from '../../../../src/gateway/content/content-capture.ts';
import type { FinishedContent, LoggableCall } from '../../../../src/gateway/content/content-log.ts';
import { ContentWriter } from '../../../../src/gateway/content/content-writer.ts';
import { compileRedaction } from '../../../../src/gateway/content/redaction/redact.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const redaction = compileRedaction({ detectors: [], customPatterns: [] });
const owner = {
  budget: new ContentBudget(1024 * 1024),
  finished: () => undefined,
  settled: () => undefined,
  dropped: () => undefined,
};

function captured(accountId: string): { capture: ContentCapture; content: FinishedContent } {
  const ids = newEventIds();
  const call = { ...ids, key: { accountId } } as LoggableCall;
  const policy = { level: 'full', redaction, isSearchable: false } as const;
  const capture = new ContentCapture(owner, { name: 'chat' }, call, Buffer.from('{}'), policy);
  const document = Buffer.from('{}');
  const content = { level: 'full' as const, document, redactions: {}, searchText: null };
  return { capture, content: { eventId: ids.eventId, accountId, content } };
}

/** Fails for some accounts. */
function start(failing: ReadonlySet<string>) {
  const clock = new FakeClock();
  const batches: string[][] = [];
  const stored: string[] = [];
  const dropped: string[] = [];
  const writer = new ContentWriter({
    store: {
      store: async (batch) => {
        batches.push(batch.map(({ accountId }) => accountId));
        return new Map(
          batch.flatMap(({ accountId }) => (failing.has(accountId) ? [[accountId, new Error('no key')] as const] : [])),
        );
      },
    },
    log: { warn: () => undefined },
    isTemporary: () => false,
    clock,
    stored: (capture) => stored.push(capture.accountId),
    drop: (capture) => dropped.push(capture.accountId),
  });
  const write = (...accounts: readonly string[]): Promise<void> => {
    const all = accounts.map(captured);
    return writer.write(
      all.map(({ content }) => content),
      all.map(({ capture }) => capture),
    );
  };
  return { writer, write, clock, batches, stored, dropped };
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
});
