import type { Logger } from 'pino';
import type { Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { ApiKey } from '../../database/entities/index.ts';
import { toGlobalId } from '../../graphql/relay/global-id.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Mailer } from '../../mail/mail.ts';
import type { OutboundGuard } from '../../outbound/guard.ts';
import { GuardedPost } from '../../outbound/guarded-post.ts';
import { budgetShares } from '../../services/alerts/readings/budget-shares.ts';
import { AlertChannelsService, type AlertChannelsDependencies } from '../../services/alerts/channels.service.ts';
import { AlertDeliveries } from '../../services/alerts/deliveries.ts';
import { AlertEvaluator } from '../../services/alerts/evaluator.ts';
import { ExpiringKeys } from '../../services/alerts/readings/expiring-keys.ts';
import { AlertHistory } from '../../services/alerts/history.ts';
import { evaluateAlerts } from '../../services/alerts/jobs.ts';
import { ProviderOutages } from '../../services/alerts/readings/provider-outages.ts';
import { AlertReadings } from '../../services/alerts/readings/alert-readings.ts';
import { AlertRulesService } from '../../services/alerts/rules.service.ts';
import { AlertSender } from '../../services/alerts/sender.ts';
import { UsageReadings } from '../../services/alerts/readings/usage-readings.ts';
import type { BudgetsService } from '../../services/budgets/budgets.service.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import { UsageReporter } from '../../services/usage/report/usage-report.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** A notification that takes longer is retried later. */
const TIMEOUT_MS = 15_000;

export interface AlertsOptions {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly budgets: Pick<BudgetsService, 'list'>;
  readonly masterKeys: MasterKeys;
  /** Decides which destinations accounts may configure. */
  readonly guard: OutboundGuard;
  readonly mailer: Pick<Mailer, 'send'>;
  /** Current public origin of this server. */
  readonly publicUrl: () => string;
  readonly log: Pick<Logger, 'warn'>;
  readonly clock?: Clock;
  /** Where PagerDuty receives events; its own addresses by default. */
  readonly pagerDuty?: AlertChannelsDependencies['pagerDuty'];
}

export interface WiredAlerts {
  readonly rules: AlertRulesService;
  readonly channels: AlertChannelsService;
  readonly history: AlertHistory;
  readonly evaluator: AlertEvaluator;
  readonly deliveries: AlertDeliveries;
  close(): Promise<void>;
}

/** Wires alert rules, their evaluation and notifications. Call it before the job queue starts. */
export function wireAlerts(options: AlertsOptions): WiredAlerts {
  const { database, jobs, budgets, masterKeys, guard, mailer, publicUrl, log, clock, pagerDuty } = options;
  const timed = { ...(clock && { clock }) };
  const vault = new CredentialVault(masterKeys);
  const post = new GuardedPost({ guard, connectTimeoutMs: CONNECT_TIMEOUT_MS, timeoutMs: TIMEOUT_MS });
  const sender = new AlertSender({ database, vault, post, mailer, publicUrl, publicId: toGlobalId, ...timed });
  const deliveries = new AlertDeliveries(jobs, { database, sender, ...timed });
  const send = (accountId: string, ids: readonly string[]): Promise<void> => deliveries.send(accountId, ids);
  const keyNames = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const keys = await database.em().find(ApiKey, { id: { $in: [...ids] } });
    return new Map(keys.map(({ id, name }) => [id, name]));
  };
  const readings = new AlertReadings({
    usage: new UsageReadings({ database, reports: new UsageReporter(database) }),
    outages: new ProviderOutages(database),
    keys: new ExpiringKeys(database),
    budgets: (accountId) => budgetShares(budgets, keyNames, accountId),
  });
  const evaluator = new AlertEvaluator({ database, readings, send, log, ...timed });
  evaluateAlerts(jobs, evaluator, deliveries);
  return {
    rules: new AlertRulesService({ database, readings, send, ...timed }),
    channels: new AlertChannelsService({ database, vault, post, send, ...timed, ...(pagerDuty && { pagerDuty }) }),
    history: new AlertHistory(database),
    evaluator,
    deliveries,
    close: () => post.close(),
  };
}
