import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Segment } from '../../../src/gateway/usage/journal/segment.ts';
import { UsageJournal } from '../../../src/gateway/usage/journal/usage-journal.ts';
import { DeferredCharges } from '../../../src/gateway/usage/deferred-charges.ts';
import { usageRecord } from '../../harness/usage-rows.ts';

const quiet = { error: () => undefined, info: () => undefined };

describe('a deferred charge', () => {
  let folder: string;
  let journal: UsageJournal;
  let charged: unknown[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-bills-'));
    journal = new UsageJournal(folder, quiet);
    charged = [];
  });

  afterEach(() => {
    journal.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function bills(isStored: () => boolean): DeferredCharges {
    return new DeferredCharges({
      journal,
      limits: { charge: (...given) => void charged.push(given) },
      isStored: () => Promise.resolve(isStored()),
    });
  }

  function written(): string {
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  }

  it('is on disk when it is billed, and counts in its budgets once, even if it is billed again', async () => {
    const record = usageRecord({ cost_nano: '9007199254740993' });
    const one = bills(() => false);
    await one.bill(record);
    expect(written()).toContain(`S{"event_id":"${record.event_id}"`);
    await one.bill(record);
    const spender = { accountId: record.account_id, keyId: record.api_key_id, memberId: null, hasAllowance: true };
    expect(charged).toEqual([[spender, 9007199254740993n, Date.parse(record.began_at)]]);
  });

  it('that could not be written counts once it is billed again, whether or not it is stored by then', async () => {
    for (const isStoredLater of [false, true]) {
      charged = [];
      let isStored = false;
      const one = bills(() => isStored);
      const record = usageRecord();
      const append = vi.spyOn(Segment.prototype, 'append').mockImplementation(() => {
        throw new Error('the disk is full');
      });
      await expect(one.bill(record)).rejects.toMatchObject({ code: 'metering_unavailable' });
      append.mockRestore();
      expect(charged).toEqual([]);
      isStored = isStoredLater;
      await one.bill(record);
      await one.bill(record);
      expect(charged).toHaveLength(1);
    }
  });

  it('that an earlier process has stored is not counted again: its budgets include the rows', async () => {
    await bills(() => true).bill(usageRecord());
    expect(charged).toEqual([]);
  });
});
