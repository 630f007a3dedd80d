import { SluiceError } from '../../../errors/index.ts';
import type { PartResult } from '../../../providers/shared/batches/batch-service.ts';
import type { LeasedBatch } from '../batch.ts';
import { lineOfPart } from './line-collector.ts';
import type { LineResponse, ProviderBatchStore } from './provider-batch.ts';

const STORED_ROWS = 100;
const STORED_BYTES = 4 * 1024 * 1024;

/** Stores the results of a batch as they arrive, some at a time. @throws SluiceError internal_error where the lease is lost */
export async function storeResponses(
  { providerBatches }: { readonly providerBatches: Pick<ProviderBatchStore, 'respond'> },
  batch: LeasedBatch,
  id: string,
  results: AsyncIterable<PartResult>,
): Promise<void> {
  let pending: LineResponse[] = [];
  let bytes = 0;
  const store = async (): Promise<void> => {
    if (pending.length > 0) requireLease(await providerBatches.respond(batch, id, pending));
    pending = [];
    bytes = 0;
  };
  for await (const { id: part, status, body } of results) {
    const line = lineOfPart(id, part);
    if (line === null) continue;
    pending.push({ line, status, body });
    bytes += body.length;
    if (pending.length >= STORED_ROWS || bytes >= STORED_BYTES) await store();
  }
  await store();
}

/** @throws SluiceError internal_error where another process has the lease */
export function requireLease(isHeld: boolean): void {
  if (!isHeld) throw new SluiceError('internal_error', { detail: 'the lease of a batch was lost' });
}
