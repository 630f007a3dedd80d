import type { Logger } from 'pino';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Database } from '../../database/database.ts';
import { DeferredCharges } from '../../gateway/deferred-charges.ts';
import type { UsageJournal } from '../../gateway/journal/usage-journal.ts';
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

/** A receiver that takes longer is told again later. */
const WEBHOOK_MS = 15_000;
const WEBHOOK_CONNECT_MS = 5_000;

export interface VideosOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly journal: UsageJournal;
  readonly limits: Pick<LimitStore, 'charge' | 'reserveForDeferredCharge' | 'releaseDeferredCharge'>;
  readonly jobs: JobQueue;
  /** The operator's connections as they are now. */
  readonly operators: () => readonly Connection[];
  /** An account's own. */
  readonly accounts: { forAccount(accountId: string): readonly Connection[] | Promise<readonly Connection[]> };
  /** The master key. */
  readonly secret: string;
  /** Says where what accounts name may be. */
  readonly guard: OutboundGuard;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export interface WiredVideos {
  readonly service: VideosService;
  readonly webhooks: WebhooksService;
  /** Looks for what an earlier process left; once the queue works. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Puts together what makes videos: their jobs, their bills, and who is told. Before the queue is started. */
export function wireVideos(options: VideosOptions): WiredVideos {
  const { database, catalogue, journal, limits, jobs, guard, mailer, log } = options;
  const vault = new CredentialVault([{ version: 1, masterKey: options.secret }]);
  const post = new GuardedPost({ guard, connectTimeoutMs: WEBHOOK_CONNECT_MS, timeoutMs: WEBHOOK_MS });
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
  const providers = findAgain(options);
  const bills = new DeferredCharges({ journal, limits, isStored: (record) => isStored(database, record) });
  const changes = new ChangeSignal();
  const progress = new VideoProgressJobs(jobs, {
    database,
    providers,
    bill: (record) => bills.bill(record),
    limits,
    ended: (video) => webhooks.tell(video.account.id, videoEvent(video)),
    changed: (videoId) => changes.changed(videoId),
    log,
  });
  const service = new VideosService({ database, catalogue, providers, progress, limits, changes });
  return { service, webhooks, resume: () => progress.resume(database.kind === 'embedded'), close: () => post.close() };
}

/** A connection by its id: the operator's, or the account's own. */
function findAgain({ operators, accounts }: VideosOptions): VideoProviders {
  return {
    find: async (accountId, connectionId) => {
      const all = [...operators(), ...(await accounts.forAccount(accountId))];
      return all.find(({ id }) => id === connectionId)?.services.video ?? null;
    },
  };
}
