import type { Logger } from 'pino';
import { delay, systemClock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory } from '../../gateway/keys/key-directory.ts';
import type { JournalDrainer } from '../../gateway/usage/journal/drainer.ts';
import { budgetId } from '../../gateway/limits/budget.ts';
import type { SpendBound } from '../../gateway/keys/spend-bound.ts';
import type { BudgetStore, LimitStore } from '../../gateway/limits/limit-store.ts';
import { toGlobalId } from '../../graphql/relay/global-id.ts';
import type { LiveBus } from '../../live/live-bus.ts';
import { Topic } from '../../live/topic.ts';
import type { Mail, Mailer } from '../../mail/mail.ts';
import { providerBatchReservations } from '../../services/batches/provider-reservations.ts';
import {
  releaseSettledCharges,
  reserveDeferredCharges,
  type FindReservations,
} from '../../services/budgets/deferred-reservations.ts';
import { BudgetAlerts, type PassedThreshold } from '../../services/budgets/budget-alerts.ts';
import { BudgetCache } from '../../services/budgets/budget-cache.ts';
import { budgetMails } from '../../services/budgets/budget-mail.ts';
import { BudgetsService } from '../../services/budgets/budgets.service.ts';
import type { PlanCatalogue } from '../../services/plans/plan.ts';
import { videoReservations } from '../../services/videos/video-reservation.ts';
import { UnpricedWarnings } from '../../services/usage/unpriced-warnings.ts';
import type { UsageStore } from '../../services/usage/usage-store.ts';
import type { WebhooksService } from '../../services/webhooks/webhooks.service.ts';

/** Four times the drain interval of other processes. */
export const OTHER_PROCESSES_DRAIN_MS = 1_000;
const RELEASE_INTERVAL_MS = 60_000;

export interface BudgetsOptions {
  readonly database: Database;
  readonly store: LimitStore & BudgetStore;
  /** As configured now. */
  readonly plans: () => PlanCatalogue;
  readonly drainer: Pick<JournalDrainer, 'drain'>;
  /** Whether other processes count their spending in the same store. */
  readonly isStoreShared: boolean;
  /** Publishes passed thresholds to other processes; null if there are none. */
  readonly bus?: LiveBus | null;
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredBudgets {
  readonly service: BudgetsService;
  readonly cache: BudgetCache;
  readonly passed: Topic<PassedThreshold>;
  /** A directory that loads the budgets of a key with the key. */
  preparing(keys: KeyDirectory): KeyDirectory;
  /**
   * Starts to report passed thresholds to subscribers, webhooks and, by mail, to the members responsible for billing, and stored
   * usage of models without a price to the same members.
   */
  watch(webhooks: WebhooksService, mailer: Pick<Mailer, 'send'>, usageStore: UsageStore): void;
  close(): Promise<void>;
}

/** Wires budgets: their definitions, the spending, and alerts. */
export async function wireBudgets(options: BudgetsOptions): Promise<WiredBudgets> {
  const { database, store, plans, drainer, isStoreShared, log } = options;
  const onFault = (err: unknown): void => {
    // An unavailable database or Redis is logged elsewhere.
    if (err instanceof SluiceError && err.status === 503) return;
    log.warn({ err }, 'budget refresh failed');
  };
  const drain = async (accountId: string): Promise<void> => {
    await drainer.drain();
    // Before it is waited for what they store.
    await store.whenOthersReady?.(accountId);
    if (isStoreShared) await delay(systemClock, OTHER_PROCESSES_DRAIN_MS);
  };
  const find = findDeferred(database);
  const reserveDeferred = (budgets: readonly SpendBound[]): Promise<void> =>
    reserveDeferredCharges(find, store, budgets);
  const cache = new BudgetCache({ database, store, plans, drain, reserveDeferred, idOf: budgetId, onFault });
  const passed = new Topic<PassedThreshold>({ kind: 'thresholds', bus: options.bus ?? null });
  let alerts: BudgetAlerts | null = null;
  await cache.start(database.kind === 'server');
  // Without a shared store, a process is not notified of charges that another process settles.
  const release = (): unknown => releaseSettledCharges(find, store, cache.bounds()).catch(onFault);
  const countsByItself = database.kind === 'server' && !isStoreShared;
  const timer = countsByItself ? systemClock.setInterval(release, RELEASE_INTERVAL_MS).unref() : null;
  return {
    service: new BudgetsService({ database, cache, store }),
    cache,
    passed,
    preparing: (keys) => cache.preparing(keys),
    watch: (webhooks, mailer, usageStore) => {
      const send = (mail: Mail): Promise<void> => mailer.send(mail);
      const unpriced = new UnpricedWarnings({
        database,
        send,
        warn: (fields, text) => log.warn(fields, text),
        onFault,
      });
      usageStore.onUnpriced = (rows) => unpriced.check(rows);
      alerts = new BudgetAlerts({
        database,
        cache,
        store,
        notify: async (accountId, event, holder) => {
          await webhooks.publish(accountId, event);
          for (const mail of await budgetMails(database, accountId, event, holder)) await mailer.send(mail);
        },
        publish: (accountId, each) => passed.publish(accountId, each),
        publicId: toGlobalId,
        onFault,
      });
      alerts.start();
    },
    close: async () => {
      timer?.cancel();
      cache.close();
      passed.close();
      await alerts?.stop();
    },
  };
}

/** What is reserved for charges that are billed later. */
export function findDeferred(database: Database): FindReservations {
  return async (accountId) => [
    ...(await videoReservations(database, accountId)),
    ...(await providerBatchReservations(database, accountId)),
  ];
}
