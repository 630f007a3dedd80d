import type { Logger } from 'pino';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { Database } from './database/database.ts';
import { recordLateBill } from './gateway/late-bill.ts';
import type { UsageJournal } from './gateway/journal/usage-journal.ts';
import type { JobQueue } from './jobs/job-queue.ts';
import { ChangeSignal } from './live/change-signal.ts';
import type { Connection } from './providers/contract.ts';
import { VideoProgressJobs } from './services/videos/video-progress.ts';
import type { VideoProviders } from './services/videos/video-providers.ts';
import { VideosService } from './services/videos/videos.service.ts';

export interface VideosOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly journal: UsageJournal;
  readonly jobs: JobQueue;
  /** The operator's connections as they are now. */
  readonly operators: () => readonly Connection[];
  /** An account's own. */
  readonly accounts: { forAccount(accountId: string): readonly Connection[] | Promise<readonly Connection[]> };
  readonly log: Pick<Logger, 'warn'>;
}

export interface ConnectedVideos {
  readonly service: VideosService;
  /** Looks for what an earlier process left; once the queue works. */
  resume(): Promise<void>;
}

/** Puts together what makes videos: their jobs, their bills, and who is told. Before the queue is started. */
export function connectVideos(options: VideosOptions): ConnectedVideos {
  const { database, catalogue, journal, jobs, log } = options;
  const providers = findAgain(options);
  const changes = new ChangeSignal();
  const progress = new VideoProgressJobs(jobs, {
    database,
    providers,
    bill: (record) => recordLateBill(journal, record),
    ended: () => Promise.resolve(),
    changed: (videoId) => changes.changed(videoId),
    log,
  });
  const service = new VideosService({ database, catalogue, providers, progress, changes });
  return { service, resume: () => progress.sweep(0) };
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
