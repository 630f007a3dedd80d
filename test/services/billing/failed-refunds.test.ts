import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { AuditEntry, FailedRefund } from '../../../src/database/entities/index.ts';
import { FailedRefunds } from '../../../src/services/billing/failed-refunds.ts';
import { storeFailedRefund, type RefundRetry } from '../../../src/services/billing/payments/stripe-refunds.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

describeWithDatabase('a failed refund', (databases) => {
  let database: Database;

  beforeAll(async () => {
    database = await databases.open();
  });

  it('is made once when another retry is recorded between two reads of a retry', async () => {
    const { provider, made } = newProvider();
    const accountId = randomUUID();
    const refundId = `re_${accountId}`;
    await database.transaction((client) =>
      storeFailedRefund(client, { refundId, accountId, chargeId: 'ch_1', cents: 1_200, reason: null }),
    );
    const other = new FailedRefunds(database, provider);
    let reads = 0;
    const beforeRead = async (): Promise<void> => {
      if (++reads === 2) await other.retry(refundId);
    };
    await new FailedRefunds(withReads(database, beforeRead), provider).retry(refundId);
    expect(reads).toBe(2);
    expect(made).toEqual([refundId]);
    expect(await database.em().findOne(FailedRefund, { refundId })).toMatchObject({ retryId: `re_again_${refundId}` });
    expect(await database.em().count(AuditEntry, { accountId })).toBe(1);
  });

  it('is not found if there is none', async () => {
    const { provider, made } = newProvider();
    const missing = new FailedRefunds(database, provider).retry('re_missing');
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
    expect(made).toEqual([]);
  });
});

function newProvider() {
  const made: string[] = [];
  const retry = async ({ refundId }: RefundRetry): Promise<string> => {
    made.push(refundId);
    return `re_again_${refundId}`;
  };
  return { made, provider: { retry } };
}

/** The same database, with a call before each read of its entities. */
function withReads(database: Database, beforeRead: () => Promise<void>): Database {
  const em = (): ReturnType<Database['em']> => {
    const real = database.em();
    return new Proxy(real, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'count' && name !== 'findOne') return member.bind(target);
        return async (...args: readonly unknown[]) => {
          await beforeRead();
          return member.apply(target, args);
        };
      },
    });
  };
  return new Proxy(database, {
    get(target, name) {
      if (name === 'em') return em;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
