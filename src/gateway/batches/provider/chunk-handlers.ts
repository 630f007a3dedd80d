import type { Waiter } from '../batch-lane.ts';
import type { LeasedBatch, StoredLine } from '../batch.ts';
import { readInputLine, type InputLine } from '../input-lines.ts';
import { LineRecorder } from '../line-recorder.ts';
import { LineRun } from '../line-run.ts';
import type { ProviderBatchDependencies } from './dependencies.ts';
import type { LineCollector } from './line-collector.ts';
import { LineDelivery } from './line-delivery.ts';
import type { ProviderBatch } from './provider-batch.ts';

/** What a pass does with one line. @returns whether it is done with it */
type HandleLine = (stored: StoredLine | undefined, line: number, input: InputLine) => Promise<boolean>;

/** What a pass does with the lines of a chunk. `stored`: whether what it did is stored; false where the lease is lost. */
export interface ChunkHandler {
  readonly handle: HandleLine;
  readonly stored: () => Promise<boolean>;
}

/** Collects the lines that providers are to run. */
export function collecting(collector: LineCollector): ChunkHandler {
  return {
    handle: async (stored, line, { bytes }) => stored !== undefined || collector.collect(line, readInputLine(bytes)),
    stored: () => collector.store(),
  };
}

/** Runs the others. */
export function running(dependencies: ProviderBatchDependencies, batch: LeasedBatch, waiter: Waiter): ChunkHandler {
  const recorder = new LineRecorder(dependencies, batch);
  const run = new LineRun(dependencies, batch, waiter, recorder);
  return {
    handle: async (stored, line, { bytes }) =>
      stored?.isDone === true ||
      (stored !== undefined && stored.providerBatchId !== null) ||
      run.run(line, readInputLine(bytes), stored),
    stored: () => recorder.stored(),
  };
}

/** Passes the responses of providers on. */
export function delivering(
  dependencies: ProviderBatchDependencies,
  batch: LeasedBatch,
  batches: readonly ProviderBatch[],
): ChunkHandler {
  const recorder = new LineRecorder(dependencies, batch);
  const delivery = new LineDelivery(dependencies, batch, recorder, batches);
  return {
    handle: async (stored, _line, { bytes }) =>
      stored === undefined ||
      stored.isDone ||
      stored.answer === null ||
      delivery.deliver(stored, stored.answer, readInputLine(bytes)),
    stored: () => recorder.stored(),
  };
}
