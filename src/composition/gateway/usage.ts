import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { drainingTo, JournalDrainer } from '../../gateway/usage/journal/drainer.ts';
import { recoverUnsettled } from '../../gateway/usage/journal/recover-unsettled.ts';
import { UsageJournal } from '../../gateway/usage/journal/usage-journal.ts';
import { UsageStore } from '../../services/usage/usage-store.ts';
import { JOURNALS } from '../worker-folders.ts';

export interface WiredUsage {
  readonly journal: UsageJournal;
  readonly usageStore: UsageStore;
  readonly drainer: JournalDrainer;
}

/** Opens the usage journal and recovers requests that an earlier process did not settle. */
export function wireUsage(processDir: string, database: Database, log: Logger): WiredUsage {
  const journal = new UsageJournal(join(processDir, JOURNALS.usage), log);
  const interrupted = recoverUnsettled(journal, (row, err) =>
    log.error({ row, err }, 'a record of the usage journal is corrupt and is skipped'),
  );
  if (interrupted > 0) log.warn({ interrupted }, 'requests were interrupted; their usage is estimated');
  const usageStore = new UsageStore(database, (row, err) => log.error({ row, err }, 'storing a usage record failed'));
  return { journal, usageStore, drainer: new JournalDrainer(journal, usageStore, log, drainingTo[database.kind]) };
}
