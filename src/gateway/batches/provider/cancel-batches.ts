import { toSluiceError } from '../../../errors/index.ts';
import type { BatchService } from '../../../providers/shared/batches/batch-service.ts';
import type { Connection } from '../../../providers/contract.ts';
import type { ProviderBatch, ProviderBatchStore } from './provider-batch.ts';

/** Of one call of a provider. */
const CALL_TIMEOUT_MS = 30_000;

export interface CancelBatchesDependencies {
  readonly parts: ProviderBatchStore['parts'];
  readonly connection: (id: string, accountId: string) => Promise<Pick<Connection, 'batches'> | undefined>;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * Cancels what runs at providers for an account whose rows are about to be erased, and deletes there what can be deleted. What a
 * provider refuses is logged, and does not hold up the rest. Never rejects.
 * @param batches those that have not ended
 */
export async function cancelAtProviders(
  { parts, connection, log }: CancelBatchesDependencies,
  accountId: string,
  batches: readonly ProviderBatch[],
  signal: AbortSignal,
): Promise<void> {
  for (const batch of batches) {
    if (signal.aborted) return;
    const attempt = async (run: () => Promise<unknown> | undefined): Promise<void> => {
      try {
        await run();
      } catch (thrown) {
        const fields = { err: toSluiceError(thrown), provider: batch.connectionId };
        log.warn(fields, 'cancelling a batch of an erased account at its provider failed');
      }
    };
    await attempt(async () => {
      const service = (await connection(batch.connectionId, accountId))?.batches;
      if (service === undefined) return;
      const externalId = await externalIdOf(service, batch, parts, callSignal(signal));
      const { uploadId } = batch;
      if (externalId !== null) {
        await attempt(() => service.cancel(externalId, callSignal(signal)));
        await attempt(() => service.remove?.(externalId, callSignal(signal)));
      } else if (uploadId !== null) await attempt(() => service.discard?.(uploadId, callSignal(signal)));
    });
  }
}

/** Null where the provider has no such batch. */
async function externalIdOf(
  service: BatchService,
  { id, kind, upstreamModel: model, total, bytes, stage, externalId, uploadId, createdAt }: ProviderBatch,
  parts: ProviderBatchStore['parts'],
  signal: AbortSignal,
): Promise<string | null> {
  if (externalId !== null || stage !== 'creating') return externalId;
  const sought = { id, kind, model, total, bytes, parts: () => parts(id) };
  const found = await service.find(sought, uploadId, createdAt, signal);
  return typeof found === 'object' ? found.externalId : null;
}

function callSignal(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
}
