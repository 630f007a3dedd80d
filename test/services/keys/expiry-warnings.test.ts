import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { ExpiryWarnings } from '../../../src/services/keys/expiry-warnings.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { expiresSoon } from '../../../src/services/keys/key-expiry.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import type { WebhookEvent } from '../../../src/services/webhooks/webhook-events.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const limits = { requestsPerMinute: 10, tokensPerMinute: 20, requestsPerDay: 30, concurrency: 40 };
const plans = readPlans({ plans: {}, default_plan: 'free' });

describeWithDatabase('an expiring key', (databases) => {
  let database: Database;

  // Outside the timed part: the first use creates the database.
  beforeAll(async () => {
    database = await databases.open();
  });

  it('causes a warning 7 days and 1 day before, once each, and again if its expiry changes', async () => {
    const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);
    const directory = new MemoryKeyDirectory({ database, pepper, defaults: () => limits, plans: () => plans });
    const keys = new KeysService({ database, pepper, directory });
    const em = database.em();
    const { account } = buildUser(em, { email: 'a@example.com', name: 'A', passwordHash: 'none', plan: 'free' });
    await em.flush();
    const now = Date.now();
    const expiring = (name: string, days: number) =>
      keys.create(account.id, null, { name, expiresAt: new Date(now + days * DAY_MS) });
    const { key } = await expiring('in ten days', 10);
    await expiring('in a hundred', 100);
    await keys.create(account.id, null, { name: 'never' });
    const gone = await expiring('revoked', 10);
    await keys.revoke(account.id, gone.key.id);
    await expiring('in an hour', 1 / 24);

    const told: { accountId: string; event: WebhookEvent }[] = [];
    let failing = false;
    const warnings = new ExpiryWarnings({
      database,
      publicId: (type, id) => `${type} ${id}`,
      publish: async (accountId, event) => {
        told.push({ accountId, event });
        if (failing) throw new Error('the process died');
      },
    });
    const at = async (days: number): Promise<unknown[]> => {
      told.length = 0;
      await warnings.sendDue(new Date(now + days * DAY_MS));
      return told.map(({ event }) => [event.data.name, event.data.within_days]);
    };
    // If it expires that soon, only the later warning is sent.
    expect(await at(0)).toEqual([['in an hour', 1]]);
    expect(await at(2.9)).toEqual([]);
    expect(await at(3.1)).toEqual([['in ten days', 7]]);
    expect(told[0]).toMatchObject({
      accountId: account.id,
      event: { type: 'api_key.expiring', data: { id: `ApiKey ${key.id}`, expires_at: key.expiresAt?.toISOString() } },
    });
    expect(await at(4)).toEqual([]);
    failing = true;
    await expect(at(9.5)).rejects.toThrow('died');
    const [first] = told.map(({ event }) => event.id);
    failing = false;
    expect(await at(9.6)).toEqual([['in ten days', 1]]);
    expect(told[0]?.event.id).toBe(first);
    expect(await at(9.7)).toEqual([]);
    await keys.update(account.id, key.id, { expiresAt: new Date(now + 20 * DAY_MS) });
    expect(await at(9.8)).toEqual([]);
    expect(await at(14)).toEqual([['in ten days', 7]]);
  });

  it('is marked as expiring a week ahead, until it has expired', () => {
    const now = Date.now();
    const soon = (leftMs: number | null, revokedAt: Date | null = null): boolean =>
      expiresSoon({ expiresAt: leftMs === null ? null : new Date(now + leftMs), revokedAt }, now);
    expect([soon(null), soon(8 * DAY_MS), soon(7 * DAY_MS), soon(1), soon(0)]).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(soon(DAY_MS, new Date())).toBe(false);
  });
});
