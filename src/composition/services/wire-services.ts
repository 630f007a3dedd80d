import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import type { Environment } from '../../config/environment.ts';
import { JobQueue } from '../../jobs/job-queue.ts';
import { createUsagePartitions, removeOldUsage } from '../../services/usage/jobs.ts';
import { scheduleContentJobs } from '../../services/content-log/jobs.ts';
import { sweepExpired } from '../../services/expiry/jobs.ts';
import type { Mailer } from '../../mail/mail.ts';
import { SessionsService } from '../../services/sessions/sessions.service.ts';
import type { SiteCookies } from '../../services/sessions/site-cookies.ts';
import { FeedbackService } from '../../services/feedback/feedback.service.ts';
import { FilesService } from '../../services/files/files.service.ts';
import { UploadsService } from '../../services/files/uploads.service.ts';
import { MediaService } from '../../services/media/media.service.ts';
import type { InstanceStatusService } from '../../services/status/instance-status.ts';
import { scheduleStatus } from '../../services/status/schedule-status.ts';
import { retentionByPlan, UsageRetention } from '../../services/usage/usage-retention.ts';
import type { Foundation } from '../foundation.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import { wireAlerts, type WiredAlerts } from './alerts.ts';
import { batchCancellation, wireBatches, type WiredBatches } from './batches.ts';
import { wireBilling, type WiredBilling } from './billing.ts';
import { wireComparisons, type WiredComparisons } from './comparisons.ts';
import { wireDatasetRuns, wireDatasets, wireRunInputs, type WiredDatasetRuns, type WiredDatasets } from './datasets.ts';
import { wireIdentity, type WiredIdentity } from './identity.ts';
import { wireMail } from './mail.ts';
import type { ContentLoggingService } from '../../services/accounts/content-logging.service.ts';
import { wireContentLogging } from './content-logging.ts';
import { wirePlans, type WiredPlans } from './plans.ts';
import { wireRequestSessions, type WiredRequestSessions } from './request-sessions.ts';
import { wireResponses, type WiredResponses } from './responses.ts';

import { wireTeams, type WiredTeams } from './teams.ts';
import { wireVideos, type WiredVideos } from './videos.ts';

const MEGABYTE = 1024 * 1024;

export interface ServicesOptions {
  readonly environment: Environment;
  readonly cookies: SiteCookies;
  /** Current public origin of this server. */
  readonly publicUrl: () => string;
  readonly log: Logger;
}

export interface WiredServices {
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly media: MediaService;
  readonly files: FilesService;
  readonly fileUploads: UploadsService;
  readonly sessions: SessionsService;
  readonly contentLogging: ContentLoggingService;
  readonly plans: WiredPlans;
  readonly billing: WiredBilling;
  readonly videos: WiredVideos;
  readonly responses: WiredResponses;
  readonly teams: WiredTeams;
  readonly identity: WiredIdentity;
  readonly comparisons: WiredComparisons;
  readonly batches: WiredBatches;
  readonly requestSessions: WiredRequestSessions;
  readonly alerts: WiredAlerts;
  readonly feedback: FeedbackService;
  readonly datasets: WiredDatasets;
  readonly datasetRuns: WiredDatasetRuns;
  readonly status: InstanceStatusService;
}

/** The control plane: services over the database, and their background work. */
export async function wireServices(
  foundation: Foundation,
  gateway: WiredGateway,
  { environment, cookies, publicUrl, log }: ServicesOptions,
): Promise<WiredServices> {
  const { database, masterKeys, storage } = foundation;
  const { accounts, catalogue, fetcher, guard, journal, keys, pipeline, providers, router, redis } = gateway;
  const jobs = new JobQueue(database, { log });
  createUsagePartitions(jobs, database);
  const retained = retentionByPlan(database, () => providers.current.plans);
  removeOldUsage(jobs, new UsageRetention(database, retained, environment.SLUICE_RETAIN_UNTIL_ARCHIVED));
  scheduleContentJobs(jobs, gateway.content);
  const { mailer } = wireMail({ environment, masterKeys, jobs, log });
  const { blobs } = storage;
  const maxAccountBytes = environment.SLUICE_FILES_MEGABYTES * MEGABYTE;
  const files = new FilesService({ database, blobs, maxAccountBytes });
  const fileUploads = new UploadsService({ database, blobs, files });
  sweepExpired(jobs, database, blobs, [files, fileUploads]);
  const { plans, billing } = await wireMoney(foundation, gateway, { environment, jobs, mailer, log });
  const videos = wireVideos({
    database,
    catalogue,
    journal,
    limits: redis.limits,
    jobs,
    operators: () => router.connections,
    accounts: accounts.connections,
    masterKeys,
    guard,
    mailer,
    log,
  });
  keys.warn(jobs, videos.webhooks);
  const { service: budgets } = gateway.budgets;
  const alerts = wireAlerts({ database, jobs, budgets, masterKeys, guard, mailer, publicUrl, log });
  const sessions = new SessionsService(database, systemClock, cookies.isHttps, () => providers.current.sessions);
  const defaultPlan = (): string => providers.current.plans.defaultPlan.id;
  const common = { database, jobs, sessions, mailer, environment, log, defaultPlan, publicUrl, redis };
  const endRemoteWork = batchCancellation(database, gateway, log);
  const datasets = wireDatasets({ database, masterKeys, contents: gateway.content.service, environment });
  const ofTeams = { keys: keys.directory, keysService: keys.service, accounts, endRemoteWork };
  const teams = wireTeams({ ...common, ...ofTeams, decrypted: datasets.decrypted });
  const identity = wireIdentity({
    ...common,
    masterKeys,
    configured: () => providers.current.identityProviders,
    invitations: teams.services.invitations,
    earlierAccess: teams.earlierAccess,
    approvals: teams.services.approvals,
  });
  const media = new MediaService(blobs, masterKeys, (source, from, signal) => fetcher.fetch(source, from, signal));
  const comparisons = wireComparisons({ database, pipeline, models: router, media, blobs, feeds: redis.feeds, log });
  const { callers } = teams.services;
  const responses = wireResponses(database, gateway, { callers, jobs, log });
  const datasetRuns = wireRunInputs(database, masterKeys, gateway);
  const batches = wireBatches(database, gateway, { blobs, files, responses, callers, datasetRuns, jobs, log });
  return {
    jobs,
    mailer,
    media,
    files,
    fileUploads,
    sessions,
    contentLogging: wireContentLogging(foundation, gateway.keys, environment),
    plans,
    billing,
    videos,
    responses,
    teams,
    identity,
    comparisons,
    batches,
    requestSessions: wireRequestSessions(database, gateway),
    alerts,
    datasets,
    datasetRuns: wireDatasetRuns({ database, masterKeys, environment }, gateway, batches.runner),
    status: scheduleStatus(database, jobs, () => router.connections.map(({ provider }) => provider)),
    feedback: new FeedbackService({ database, storeUsage: () => gateway.drainer.drain() }),
  };
}

interface MoneyOptions {
  readonly environment: Environment;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly log: Logger;
}

/** Plans and billing, which follow each other's changes. */
async function wireMoney(
  { database }: Foundation,
  { providers, keys, budgets }: WiredGateway,
  { environment, jobs, mailer, log }: MoneyOptions,
): Promise<{ plans: WiredPlans; billing: WiredBilling }> {
  const currentPlans = (): WiredGateway['providers']['current']['plans'] => providers.current.plans;
  const plans = wirePlans({
    database,
    jobs,
    plans: currentPlans,
    changed: (accountId) => {
      keys.directory.evictAccount(accountId);
      void budgets.cache.planOrBalanceChanged(accountId);
      billing.planChanged(accountId);
    },
    budgetsChanged: (accountId) => budgets.cache.changed(accountId),
  });
  const billing = await wireBilling({
    environment,
    database,
    jobs,
    mailer,
    log,
    plans: currentPlans,
    applyDue: () => plans.service.applyDue(),
    balanceChanged: (accountId) => budgets.cache.planOrBalanceChanged(accountId),
  });
  return { plans, billing };
}
