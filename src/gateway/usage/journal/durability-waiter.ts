/** Called when its line is on disk, before dependent output is sent. */
export interface DurabilityWaiter {
  onDurable(): void;
  /** The journal cannot be written. A begin must be rejected; a settle stays in memory and is written later. */
  onJournalFailure(error: Error): void;
}
