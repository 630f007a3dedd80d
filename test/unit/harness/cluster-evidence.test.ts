import { describe, expect, it } from 'vitest';
import { brokenPromises, type Evidence, type UsageRow } from '../../harness/cluster/evidence.ts';
import type { Outcome } from '../../harness/cluster/load.ts';
import { costNanoOf } from '../../harness/cluster/priced-provider.ts';

const answered: Outcome = {
  name: 'plain-1',
  kind: 'plain',
  phase: 'baseline',
  status: 200,
  isWhole: true,
  failure: null,
  requestId: 'req_1',
  isReplay: false,
  firstByteMs: 1,
};
const row: UsageRow = { requestId: 'req_1', name: 'plain-1', status: 'succeeded', costNano: costNanoOf('plain-1') };

function evidenceOf(members: Partial<Evidence>): Evidence {
  const { rows = [row] } = members;
  return {
    outcomes: [answered],
    received: new Map([['plain-1', 1]]),
    rows,
    budgets: [{ fault: 'pause', amountNano: 5n, spentNano: 5n }],
    rolledUpNano: rows.reduce((sum, { costNano }) => sum + costNano, 0n),
    lostFiles: [],
    phasesWithoutClaims: new Set(),
    ...members,
  };
}

describe('evidence of a run', () => {
  it('is clean where each request is stored once at its cost', () => {
    expect(brokenPromises(evidenceOf({}))).toEqual([]);
  });

  it('accepts a cut request that was interrupted, and one that was rejected', () => {
    const cut = { ...answered, isWhole: false, requestId: null };
    const interrupted = { ...row, status: 'interrupted', costNano: 1n };
    const rejected = { ...row, requestId: 'req_2', name: 'plain-2', status: 'rejected', costNano: 0n };
    expect(brokenPromises(evidenceOf({ outcomes: [cut], rows: [interrupted, rejected] }))).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, string]>([
    ['a lost request', { rows: [] }, '1 answered requests are not in the usage log exactly once: plain-1'],
    ['a lost cut request', { outcomes: [], rows: [] }, 'received are not in the usage log exactly once: plain-1'],
    [
      'a request that is billed twice',
      { rows: [row, { ...row, requestId: 'req_2' }] },
      'received are not in the usage',
    ],
    ['another cost', { rows: [{ ...row, costNano: 1n }] }, 'have another cost than that of their usage: plain-1'],
    ['a second call', { received: new Map([['plain-1', 2]]) }, 'reached the provider more than once: plain-1'],
    ['a cost without a call', { received: new Map() }, 'neither reached the provider nor were interrupted: plain-1'],
    [
      'an overdrawn budget',
      { budgets: [{ fault: 'pause', amountNano: 5n, spentNano: 6n }] },
      'budgets are overdrawn: 6 of 5 nano-USD (pause)',
    ],
    ['other roll-ups', { rolledUpNano: 1n }, 'roll-ups differ from the usage log'],
    ['a lost file', { lostFiles: ['file-1'] }, 'stored files cannot be read: file-1'],
  ])('shows %s', (_name, members, sentence) => {
    expect(brokenPromises(evidenceOf(members)).join('\n')).toContain(sentence);
  });

  it('accepts a second run of an idempotency key that Redis has lost', () => {
    const keyed = { ...answered, name: 'keyed-1', kind: 'keyed' as const, phase: 'loss' };
    const rows = ['req_1', 'req_2'].map((requestId) => ({
      ...row,
      requestId,
      name: 'keyed-1',
      costNano: costNanoOf('keyed-1'),
    }));
    const run = { outcomes: [keyed], rows, received: new Map([['keyed-1', 2]]) };
    expect(brokenPromises(evidenceOf(run))).not.toEqual([]);
    expect(brokenPromises(evidenceOf({ ...run, phasesWithoutClaims: new Set(['loss']) }))).toEqual([]);
  });
});
