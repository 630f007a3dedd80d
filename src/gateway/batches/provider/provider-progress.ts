import { toSluiceError } from '../../../errors/index.ts';
import type { BatchService, HttpAnswer, NewProviderBatch } from '../../../providers/shared/batches/batch-service.ts';
import type { Connection } from '../../../providers/contract.ts';
import type { LeasedBatch } from '../batch.ts';
import type { ProviderBatchDependencies } from './dependencies.ts';
import { isFinal, isRefusal } from './provider-refusals.ts';
import { newCountsOf } from './provider-counts.ts';
import { requireLease, storeResponses } from './store-responses.ts';
import type { ProviderBatch, ProviderBatchChange } from './provider-batch.ts';

/** A creation that was interrupted may still arrive at the provider within this. */
const CREATION_MS = 60_000;
/** After the expiry of a batch, its providers and the moderation of their answers are waited for no longer. */
export const GIVE_UP_MS = 2 * 3_600_000;
/** Of one call of a provider. */
const CALL_TIMEOUT_MS = 10 * 60_000;
/** Of reading and storing results: a server of an account's own may send them without end. */
const RESULTS_TIMEOUT_MS = 30 * 60_000;
const MIN_WAIT_MS = 2_000;
const MAX_WAIT_MS = 60_000;

export interface ProviderProgressDependencies extends Pick<
  ProviderBatchDependencies,
  'providerBatches' | 'clock' | 'log'
> {
  readonly connection: (id: string, accountId: string) => Promise<Pick<Connection, 'batches'> | undefined>;
}

/** Has batches of providers created, followed, cancelled and their results stored: one step at each call. */
export class ProviderProgress {
  readonly #dependencies: ProviderProgressDependencies;
  readonly #batch: LeasedBatch;
  readonly #signal: AbortSignal;
  readonly #isEnding: () => boolean;

  /** @param isEnding whether the batch is cancelled or expired */
  constructor(
    dependencies: ProviderProgressDependencies,
    batch: LeasedBatch,
    signal: AbortSignal,
    isEnding: () => boolean,
  ) {
    this.#dependencies = dependencies;
    this.#batch = batch;
    this.#signal = signal;
    this.#isEnding = isEnding;
  }

  /** @returns whether all have ended */
  async advance(): Promise<boolean> {
    const { providerBatches, connection, log } = this.#dependencies;
    let hasEnded = true;
    for (const each of await providerBatches.list(this.#batch)) {
      if (this.#signal.aborted) return false;
      if (each.stage === 'ended' || each.stage === 'delivered') continue;
      try {
        const service = (await connection(each.connectionId, this.#batch.accountId))?.batches;
        const isOver = service === undefined ? await this.#end(each, null) : await this.#advanceOne(each, service);
        hasEnded &&= isOver;
      } catch (thrown) {
        const err = toSluiceError(thrown);
        if (err.code === 'database_unavailable' || err.code === 'storage_unavailable') throw err;
        log.warn({ err, batch: this.#batch.id, provider: each.connectionId }, 'a batch of a provider failed; retrying');
        if (!(await this.#hasGivenUp(each, null))) hasEnded = false;
      }
    }
    return hasEnded;
  }

  async #advanceOne(batch: ProviderBatch, service: BatchService): Promise<boolean> {
    if (batch.stage === 'running') return this.#follow(batch, service);
    if (batch.stage === 'creating') return this.#recover(batch, service);
    if (this.#isEnding()) return this.#end(batch, service);
    try {
      return await this.#submit(batch, service);
    } catch (thrown) {
      const error = toSluiceError(thrown);
      if (!isFinal(error)) throw error;
      const status = error.upstreamStatus ?? error.status;
      return this.#fail(batch, service, { status, body: service.errorBody(error.message) });
    }
  }

  async #submit(batch: ProviderBatch, service: BatchService): Promise<boolean> {
    let { uploadId } = batch;
    if (service.upload !== undefined && uploadId === null) {
      await this.#change(batch, { stage: 'uploading' });
      uploadId = await service.upload(this.#newBatch(batch), this.#callSignal());
      await this.#change(batch, { uploadId });
    }
    if (uploadId !== null && (await service.isUploaded?.(uploadId, this.#callSignal())) === false) return false;
    return this.#create({ ...batch, uploadId }, service);
  }

  /** The intent is stored first: after a crash, the batch is looked for before it is created again. */
  async #create(batch: ProviderBatch, service: BatchService): Promise<boolean> {
    const { clock } = this.#dependencies;
    await this.#change(batch, { stage: 'creating', creatingSince: clock.now() });
    let externalId: string;
    try {
      externalId = await service.create(this.#newBatch(batch), batch.uploadId, this.#callSignal());
    } catch (thrown) {
      // After a refusal it does not exist; after a fault of the provider or of its proxy it may, from now on.
      if (isRefusal(toSluiceError(thrown))) await this.#change(batch, { stage: 'uploading' });
      else await this.#change(batch, { creatingSince: clock.now() });
      throw thrown;
    }
    await this.#change(batch, { stage: 'running', externalId });
    return false;
  }

  async #recover(batch: ProviderBatch, service: BatchService): Promise<boolean> {
    const since = batch.creatingSince ?? batch.createdAt;
    const found = await service.find(this.#newBatch(batch), batch.uploadId, batch.createdAt, this.#callSignal());
    if (typeof found === 'object') {
      await this.#change(batch, { stage: 'running', externalId: found.externalId });
      return false;
    }
    if (found === 'unclear' || this.#dependencies.clock.now() < since + CREATION_MS)
      return this.#hasGivenUp(batch, service);
    await this.#change(batch, { stage: 'uploading' });
    return false;
  }

  async #follow(batch: ProviderBatch, service: BatchService): Promise<boolean> {
    const externalId = batch.externalId ?? '';
    const state = await service.state(externalId, this.#callSignal());
    if (state.type === 'failed') return this.#fail(batch, service, state.answer);
    const counts = newCountsOf(batch, state.counts);
    if (counts !== null) await this.#change(batch, { counts });
    if (state.type === 'ended') {
      await storeResponses(
        this.#dependencies,
        this.#batch,
        batch.id,
        service.results(externalId, this.#callSignal(RESULTS_TIMEOUT_MS)),
      );
      return this.#end(batch, service);
    }
    if (this.#isEnding() && !batch.isCancelled) {
      await service.cancel(externalId, this.#callSignal());
      await this.#change(batch, { isCancelled: true });
    }
    return this.#hasGivenUp(batch, service);
  }

  async #hasGivenUp(batch: ProviderBatch, service: BatchService | null): Promise<boolean> {
    const { clock, log } = this.#dependencies;
    if (clock.now() < this.#batch.expiresAt + GIVE_UP_MS) return false;
    log.warn({ batch: this.#batch.id, provider: batch.connectionId }, 'a provider has not ended a batch in time');
    return this.#end(batch, service);
  }

  /** Each of its lines has the same error. */
  async #fail(batch: ProviderBatch, service: BatchService, answer: HttpAnswer): Promise<boolean> {
    requireLease(await this.#dependencies.providerBatches.respondToAll(this.#batch, batch.id, answer));
    return this.#end(batch, service);
  }

  /** Its lines without a response have not run. @param service where what it stores can be deleted */
  async #end(batch: ProviderBatch, service: BatchService | null): Promise<boolean> {
    await this.#change(batch, { stage: 'ended' });
    const { externalId, uploadId } = batch;
    try {
      if (externalId !== null) await service?.remove?.(externalId, this.#callSignal());
      else if (uploadId !== null) await service?.discard?.(uploadId, this.#callSignal());
    } catch (thrown) {
      const fields = { err: toSluiceError(thrown), batch: this.#batch.id };
      this.#dependencies.log.warn(fields, 'deleting the files of a batch at its provider failed');
    }
    return true;
  }

  async #change(batch: ProviderBatch, change: ProviderBatchChange): Promise<void> {
    requireLease(await this.#dependencies.providerBatches.change(this.#batch, batch.id, change));
  }

  #newBatch({ id, kind, upstreamModel, total, bytes }: ProviderBatch): NewProviderBatch {
    const parts = (): AsyncIterable<string> => this.#dependencies.providerBatches.parts(id);
    return { id, kind, model: upstreamModel, total, bytes, parts };
  }

  #callSignal(timeoutMs = CALL_TIMEOUT_MS): AbortSignal {
    return AbortSignal.any([this.#signal, AbortSignal.timeout(timeoutMs)]);
  }
}

/** How long to wait before batches of providers are polled again, in milliseconds: the longer, the older they are. */
export function waitForProviders(batches: readonly ProviderBatch[], now: number): number {
  const oldest = Math.min(...batches.map(({ createdAt }) => createdAt));
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, (now - oldest) / 20));
}
