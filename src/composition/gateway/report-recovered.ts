import { delay, systemClock } from '../../calendar/clock.ts';
import type { BudgetStore } from '../../gateway/limits/limit-store.ts';
import type { JournalDrainer } from '../../gateway/usage/journal/drainer.ts';

const RETRY_MS = 1_000;

/** Tells a limit store that waits for it when the database contains what an earlier process did not settle. */
export async function reportRecovered(
  drainer: Pick<JournalDrainer, 'drain'>,
  store: Pick<BudgetStore, 'recovered'>,
): Promise<void> {
  if (store.recovered === undefined) return;
  for (;;)
    try {
      await drainer.drain();
      return store.recovered();
    } catch {
      // The drainer logs it.
      await delay(systemClock, RETRY_MS);
    }
}
