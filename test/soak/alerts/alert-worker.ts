import type * as DatabaseModule from '../../../src/database/database.ts';
import type * as QueueModule from '../../../src/jobs/job-queue.ts';
import type * as GuardModule from '../../../src/outbound/guard.ts';
import type * as MasterKeysModule from '../../../src/secrets/master-keys.ts';
import type * as AlertsModule from '../../../src/composition/services/alerts.ts';
import type * as KnownBudgetModule from '../../../src/services/budgets/known-budget.ts';
import type * as BudgetModule from '../../../src/gateway/limits/budget.ts';
import type * as ClockModule from '../../../src/calendar/clock.ts';
import { BUDGET_MODEL } from './budget-model.ts';

/**
 * An instance of the control plane as a process of its own: the built services on a database, at times that its parent sends.
 * It evaluates all rules at each, and says when it has.
 */
const built = (path: string): string => new URL(`../../../dist/${path}.js`, import.meta.url).href;

const { openDatabase }: typeof DatabaseModule = await import(built('database/database'));
const { MasterKeys }: typeof MasterKeysModule = await import(built('secrets/master-keys'));
const { JobQueue }: typeof QueueModule = await import(built('jobs/job-queue'));
const { OutboundGuard }: typeof GuardModule = await import(built('outbound/guard'));
const { wireAlerts }: typeof AlertsModule = await import(built('composition/services/alerts'));
const { readBudgets }: typeof KnownBudgetModule = await import(built('services/budgets/known-budget'));
const { budgetId }: typeof BudgetModule = await import(built('gateway/limits/budget'));
const { systemClock }: typeof ClockModule = await import(built('calendar/clock'));

const [url = '', receiver = ''] = process.argv.slice(2);
let now = 0;
const database = await openDatabase({ url, dataDir: '/nonexistent' });
const jobs = new JobQueue(database, { pollSeconds: 0.2 });
const alerts = wireAlerts({
  database,
  jobs,
  budgets: {
    list: async (accountId) => {
      const [row] = await database.query<{ spent: string }>(
        `select coalesce(sum(cost_nano), 0)::text as spent from usage_rollups
         where account_id = $1 and model = $2 and not by_key and span = 15`,
        [accountId, BUDGET_MODEL],
      );
      const spentNano = BigInt(row?.spent ?? 0);
      return (await readBudgets(database, budgetId, accountId)).map((known) => ({
        known,
        spentNano,
        period: { start: 0, end: Infinity },
        reservedNano: 0n,
        remainingNano: 0n,
      }));
    },
  },
  masterKeys: MasterKeys.of('a'.repeat(32)),
  guard: new OutboundGuard([receiver]),
  mailer: { send: async () => undefined },
  publicUrl: () => 'https://ai.example.com',
  log: { warn: (...line: unknown[]) => void process.stderr.write(`${JSON.stringify(line)}\n`) },
  clock: { ...systemClock, now: () => now },
  pagerDuty: { us: `http://${receiver}/pagerduty`, eu: `http://${receiver}/pagerduty` },
});
await jobs.start();
process.on('message', (at: number) => {
  now = at;
  process.send?.(`${at} begun`);
  alerts.deliveries
    .sendDue()
    .then(() => alerts.evaluator.evaluateAll())
    .then(() => process.send?.(`${at} ended`))
    .catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
});
process.send?.('ready');
