import type { Gauge } from '../../metrics/metrics.ts';
import type { UsageJournal } from './usage-journal.ts';

export function journalGauge(journal: Pick<UsageJournal, 'undrainedBytes'>): Gauge {
  return {
    name: 'journal_undrained_bytes',
    help: 'Bytes in the usage journal that are not stored in the database yet.',
    read: () => journal.undrainedBytes,
  };
}
