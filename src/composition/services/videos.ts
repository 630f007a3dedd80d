import type { Logger } from 'pino';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Database } from '../../database/database.ts';
import { DeferredCharges } from '../../gateway/usage/deferred-charges.ts';
import type { UsageJournal } from '../../gateway/usage/journal/usage-journal.ts';
import type { LimitStore } from '../../gateway/limits/limit-store.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Mailer } from '../../mail/mail.ts';
import { ChangeSignal } from '../../live/change-signal.ts';
import type { OutboundGuard } from '../../outbound/guard.ts';
import { GuardedPost } from '../../outbound/guarded-post.ts';
import type { Connection } from '../../providers/contract.ts';
import { isStored } from '../../services/budgets/spent-rows.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import { videoEvent } from '../../services/videos/video-event.ts';
import { VideoProgressJobs } from '../../services/videos/video-progress.ts';
import type { VideoProviders } from '../../services/videos/video-providers.ts';
import { VideosService } from '../../services/videos/videos.service.ts';
import { WebhookDeliveries } from '../../services/webhooks/deliveries.ts';
import { disabledWebhookMails } from '../../services/webhooks/disabled-mail.ts';
import { WebhooksService } from '../../services/webhooks/webhooks.service.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

/** A delivery that takes longer is retried later. */
const WEBHOOK_TIMEOUT_MS = 15_000;
const WEBHOOK_CONNECT_TIMEOUT_MS = 5_000;

export interface VideosOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly journal: UsageJournal;
  readonly limits: Pick<LimitStore, 'charge' | 'reserveForDeferredCharge' | 'releaseDeferredCharge'>;
  readonly jobs: JobQueue;
  /** Current connections of the operator. */
  readonly operators: () => readonly Connection[];
  /** Connections of an account. */
  readonly accounts: { forAccount(accountId: string): readonly Connection[] | Promise<readonly Connection[]> };
  readonly masterKeys: MasterKeys;
  /** Decides which destinations accounts may configure. */
  readonly guard: OutboundGuard;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export interface WiredVideos {
  readonly service: VideosService;
  readonly webhooks: WebhooksService;
  /** Resumes jobs of an earlier process. Call it after the job queue has started. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Wires video jobs, their charges and webhooks. Call it before the job queue starts. */
export function wireVideos(options: VideosOptions): WiredVideos {
  const { database, catalogue, journal, limits, jobs, guard, mailer, log } = options;
  const vault = new CredentialVault(options.masterKeys);
  const post = new GuardedPost({ guard, connectTimeoutMs: WEBHOOK_CONNECT_TIMEOUT_MS, timeoutMs: WEBHOOK_TIMEOUT_MS });
  const deliveries = new WebhookDeliveries(jobs, {
    database,
    vault,
    post,
    log,
    onDisabled: async (webhook) => {
      for (const mail of await disabledWebhookMails(database, webhook)) await mailer.send(mail);
    },
  });
  const webhooks = new WebhooksService({ database, vault, post, deliveries });
  const providers = videoProviders(options);
  const bills = new DeferredCharges({ journal, limits, isStored: (record) => isStored(database, record) });
  const changes = new ChangeSignal();
  const progress = new VideoProgressJobs(jobs, {
    database,
    providers,
    bill: (record) => bills.bill(record),
    limits,
    onEnded: (video) => webhooks.publish(video.account.id, videoEvent(video)),
    onChanged: (videoId) => changes.notify(videoId),
    log,
  });
  const service = new VideosService({ database, catalogue, providers, progress, limits, changes });
  return { service, webhooks, resume: () => progress.resume(database.kind === 'embedded'), close: () => post.close() };
}

/** Finds a connection by its ID among those of the operator and of the account. */
function videoProviders({ operators, accounts }: VideosOptions): VideoProviders {
  return {
    find: async (accountId, connectionId) => {
      const all = [...operators(), ...(await accounts.forAccount(accountId))];
      return all.find(({ id }) => id === connectionId)?.services.video ?? null;
    },
  };
}
