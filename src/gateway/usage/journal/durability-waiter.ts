/** Resolves when a line is on disk, or kept in memory because the journal cannot be written. */
export function whenWritten(append: (waiter: DurabilityWaiter) => void): Promise<void> {
  return new Promise((resolve) => append({ onDurable: resolve, onJournalFailure: () => resolve() }));
}

/** Called when its line is on disk, before dependent output is sent. */
export interface DurabilityWaiter {
  onDurable(): void;
  /** The journal cannot be written. A begin must be rejected; a settle stays in memory and is written later. */
  onJournalFailure(error: Error): void;
}
