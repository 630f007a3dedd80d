import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/database/database.ts';
import { Account, AlertChannel, AlertRule, ApiKey, Budget } from '../../../src/database/entities/index.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { BUDGET_MODEL } from './budget-model.ts';
import { HOUR_START, storeUsage } from '../../harness/alert-usage.ts';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;
const USD = 1_000_000_000n;

export interface AlertHour {
  readonly accountId: string;
  /** Makes happen what the script has at this minute. */
  play(minute: number): Promise<void>;
}

/** The minutes at which each kind fires and resolves when it is evaluated every minute. */
export const expectedMinutes = {
  spend: [10, 30],
  error_rate: [5, 20],
  latency: [12, 30],
  provider_down: [8, 25],
  spend_anomaly: [20, 30],
  key_expiring: [2, 22],
  budget: [15, 35],
} as const;

/** An hour in which a rule of every kind fires once and resolves once. Its rules notify all channels of the account. */
export async function scriptedHour(database: Database, accountId: string): Promise<AlertHour> {
  const em = database.em();
  const account = await em.findOneOrFail(Account, { id: accountId });
  const channelIds = (await em.find(AlertChannel, { account })).map(({ id }) => id);
  const rule = (values: Pick<AlertRule, 'kind' | 'threshold' | 'resolveThreshold'> & Partial<AlertRule>): void => {
    const createdAt = new Date(HOUR_START);
    em.create(AlertRule, { name: values.kind, account, channelIds, createdAt, changedAt: createdAt, ...values });
  };
  const of = (model: string) => ({ windowMinutes: 15, filter: { model: `sandbox/${model}` } });
  rule({ kind: 'spend', threshold: 10, resolveThreshold: 8, ...of('spend') });
  rule({ kind: 'error_rate', threshold: 50, resolveThreshold: 20, minimum: 10, ...of('errors'), windowMinutes: 60 });
  rule({ kind: 'latency', threshold: 5_000, resolveThreshold: 4_000, minimum: 5, ...of('slow') });
  rule({ kind: 'provider_down', threshold: 5, resolveThreshold: 0, minimum: 3, filter: { provider: 'openai' } });
  rule({ kind: 'spend_anomaly', threshold: 3, resolveThreshold: 2, minimum: 1, ...of('anomaly') });
  rule({ kind: 'key_expiring', threshold: 7, resolveThreshold: 7 });
  rule({ kind: 'budget', threshold: 80, resolveThreshold: 50 });
  const budget = em.create(Budget, { account, subject: 'account', amountNano: 100n * USD, period: 'MONTH' });
  await em.flush();
  const use = (minute: number, values: Partial<UsageRecord>, count = 1): Promise<void> =>
    storeUsage(database, accountId, minute, values, count);
  for (const week of [1, 2, 3, 4, 5]) {
    const before = (-week * WEEK_MS) / MINUTE_MS;
    await use(before - 10, { model: 'sandbox/anomaly', cost_nano: String(USD) });
    await use(before + 40, { model: 'sandbox/anomaly', cost_nano: String(10n * USD) });
  }
  const failed = {
    model: 'openai/gpt',
    provider: 'openai',
    status: 'failed',
    attempts: [{ provider: 'openai', model: 'gpt', status: 503, error: 'provider_error', duration_ms: 9 }],
  } as const satisfies Partial<UsageRecord>;
  const script: Readonly<Record<number, () => Promise<unknown>>> = {
    2: () => createExpiringKey(database, accountId),
    5: () =>
      Promise.all([
        use(5, { model: 'sandbox/errors', status: 'failed' }, 10),
        use(5, { model: 'sandbox/errors' }, 2),
        use(5, failed),
      ]),
    10: () => use(10, { model: 'sandbox/spend', cost_nano: String(12n * USD) }),
    12: () => use(12, { model: 'sandbox/slow', duration_ms: 9_000 }, 20),
    15: () => use(15, { model: BUDGET_MODEL, cost_nano: String(90n * USD) }),
    20: () =>
      Promise.all([
        use(20, { model: 'sandbox/errors' }, 100),
        use(20, { model: 'sandbox/anomaly', cost_nano: String(5n * USD) }),
      ]),
    22: () =>
      database.query('update api_keys set revoked_at = $2 where account_id = $1', [
        accountId,
        new Date(HOUR_START + 22 * MINUTE_MS),
      ]),
    25: () =>
      use(25, {
        ...failed,
        status: 'succeeded',
        attempts: [{ provider: 'openai', model: 'gpt', status: 200, error: null, duration_ms: 9 }],
      }),
    35: () => database.query('update budgets set amount_nano = $2 where id = $1', [budget.id, String(200n * USD)]),
  };
  return {
    accountId,
    play: async (minute) => {
      if (minute >= 3 && minute < 25 && minute !== 5) await use(minute, failed);
      await script[minute]?.();
    },
  };
}

async function createExpiringKey(database: Database, accountId: string): Promise<void> {
  const em = database.em();
  const account = em.getReference(Account, accountId);
  const expiresAt = new Date(HOUR_START + 3 * 86_400_000);
  const secretHmac = Buffer.from(randomUUID());
  em.create(ApiKey, { account, name: 'production', hint: 'sk-…', secretHmac, expiresAt, createdAt: new Date() });
  await em.flush();
}
