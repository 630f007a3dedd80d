import type { HttpAnswer } from '../../../providers/shared/batches/batch-service.ts';
import type { Waiter } from '../batch-lane.ts';
import type { LeasedBatch, StoredLine } from '../batch.ts';
import { readInputLine, type InputLine } from '../input-lines.ts';
import { LineRecorder } from '../line-recorder.ts';
import { LineRun } from '../line-run.ts';
import { DeliveryLimiter } from './delivery-limiter.ts';
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

/** Passes the responses of providers on. It holds a few of them at a time, each until its result is stored. */
export function delivering(
  dependencies: ProviderBatchDependencies,
  batch: LeasedBatch,
  waiter: Waiter,
  batches: readonly ProviderBatch[],
): ChunkHandler {
  const recorder = new LineRecorder(dependencies, batch);
  const delivery = new LineDelivery(dependencies, batch, recorder, batches);
  const limiter = new DeliveryLimiter();
  const deliver = async (stored: StoredLine, { bytes }: InputLine): Promise<boolean> => {
    if (waiter.isOver) return false;
    let answer: HttpAnswer | null;
    try {
      answer = await dependencies.store.answer(batch, stored.line);
    } catch (err) {
      // The other lines of the chunk go on: it ends with all of them.
      dependencies.log.warn({ err, batch: batch.id }, 'reading a response of a batch failed; retrying');
      return false;
    }
    if (waiter.isOver) return false;
    const isDelivered = answer === null || (await delivery.deliver(stored, answer, readInputLine(bytes)));
    return (await recorder.stored()) && isDelivered;
  };
  return {
    handle: async (stored, _line, input) =>
      stored === undefined ||
      stored.isDone ||
      stored.answerBytes === null ||
      limiter.run(stored.answerBytes, () => deliver(stored, input)),
    stored: () => recorder.stored(),
  };
}
