import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { billableUsage, type UsageSpan } from '../../../src/services/billing/billable-usage.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
const HOUR = 3_600_000;
const WHOLE = 1_000_000;

describeWithDatabase('billable usage', (databases) => {
  let database: Database;
  let store: UsageStore;

  beforeAll(async () => {
    database = await databases.open();
    store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
  });

  /** Records how many rows each statement could have read. */
  function watched(most: number[]): Database {
    return {
      ...database,
      query: async (text, values = []) => {
        if (text.includes('as amount')) {
          const [row] = await database.query<{ count: string }>(
            'select count(*) from usage_logs where account_id = $1 and began_at >= $2 and began_at < $3 and settled_at >= $4',
            values.slice(0, 4),
          );
          most.push(Number(row?.count));
        }
        return database.query(text, values);
      },
    };
  }

  it('is the same to the nano-USD for any slice size, which limits each read', async () => {
    const media = { media: [{ unit: 'search', quantity: 2 }] } as const;
    const rates = { input: '1', output: '1', units: [{ unit: 'search', price: '0.01' }] } as const;
    const drawn = fc.record({
      hour: fc.nat(20),
      nano: fc.bigInt({ min: 0n, max: 2n ** 40n }),
      model: fc.constantFrom('openai/gpt-5.5', 'sandbox/chat'),
      mixed: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (all, size) => {
          const accountId = randomUUID();
          const records = all.map(({ hour, nano, model, mixed }, index): UsageRecord =>
            usageRecord({
              account_id: accountId,
              began_at: new Date(START + hour * HOUR + index).toISOString(),
              cost_nano: String(nano),
              model,
              ...(mixed ? { units: media, rates } : { units: null }),
            }),
          );
          await store.store(rowsJson(records));
          const stored = Date.now() + HOUR;
          const spans: UsageSpan[] = [
            { accountId, before: null, upTo: { began: START + 15 * HOUR, stored }, start: START },
            {
              accountId,
              before: { began: START + 5 * HOUR, stored },
              upTo: { began: START + 15 * HOUR, stored: stored + 1 },
              start: START + 5 * HOUR,
            },
          ];
          for (const span of spans) {
            const most: number[] = [];
            const sums = await billableUsage(watched(most), span, size);
            expect(sums).toEqual(await billableUsage(database, span, WHOLE));
            expect(Math.max(...most)).toBeLessThanOrEqual(size);
            const from = (span.before?.began ?? START) - START;
            const costs = all.filter(({ hour }) => hour * HOUR >= from && hour < 15).map(({ nano }) => nano);
            const billed = sums.reduce((sum, { amountNano }) => sum + amountNano, 0n);
            expect(billed).toBe(costs.reduce((sum, nano) => sum + nano, 0n));
          }
        },
      ),
      { numRuns: 10 },
    );
  });
});
