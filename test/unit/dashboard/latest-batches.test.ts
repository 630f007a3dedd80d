import { describe, expect, it } from 'vitest';
import type { BatchPartsFragment } from '../../../src/dashboard/generated/graphql.ts';
import { later, withUpdates } from '../../../src/dashboard/pages/batches/latest.ts';

function batch(id: string, changes: Partial<BatchPartsFragment> = {}): BatchPartsFragment {
  return {
    id,
    batchId: `batch_${id}`,
    endpoint: '/v1/messages',
    status: 'IN_PROGRESS',
    total: 10,
    succeeded: 0,
    errored: 0,
    errors: [],
    inputFileId: null,
    outputFileId: null,
    errorFileId: null,
    endedAt: null,
    createdAt: '2026-06-15T12:00:00.000Z',
    expiresAt: '2026-06-16T12:00:00.000Z',
    ...changes,
  };
}

describe('the later state of a batch', () => {
  const states = [
    batch('a', { status: 'VALIDATING', total: 0 }),
    batch('a'),
    batch('a', { succeeded: 3, errored: 1 }),
    batch('a', { status: 'FINALIZING', succeeded: 9, errored: 1 }),
    batch('a', { status: 'CANCELLING', succeeded: 9, errored: 1 }),
    batch('a', { status: 'CANCELLED', succeeded: 9, errored: 1, endedAt: '2026-06-15T13:00:00.000Z' }),
  ];

  it('is found whichever was received first', () => {
    for (const [at, before] of states.entries())
      for (const after of states.slice(at)) {
        expect(later(before, after)).toEqual(after);
        expect(later(after, before)).toEqual(after);
      }
  });
});

describe('a list of batches with updates', () => {
  const list = [batch('b', { createdAt: '2026-06-15T12:00:02.000Z' }), batch('a')];
  const updated = (...batches: BatchPartsFragment[]) => new Map(batches.map((each) => [each.id, each]));

  it('shows progress, and batches that are newer than it first', () => {
    const progressed = batch('a', { succeeded: 5 });
    const newer = batch('c', { createdAt: '2026-06-15T12:00:03.000Z' });
    const newest = batch('d', { createdAt: '2026-06-15T12:00:04.000Z' });
    expect(withUpdates(list, updated(progressed, newer, newest))).toEqual([newest, newer, list[0], progressed]);
    expect(withUpdates([], updated(newer))).toEqual([newer]);
  });

  it('leaves out those of further pages, which are not loaded', () => {
    const older = batch('0', { createdAt: '2026-06-15T11:00:00.000Z' });
    expect(withUpdates(list, updated(older))).toEqual(list);
  });
});
