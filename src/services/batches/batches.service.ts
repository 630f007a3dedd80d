import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { Account, Batch } from '../../database/entities/index.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { BatchProtocol } from '../../gateway/batches/batch.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import type { BlobStore, OpenBlob, StoredBlob } from '../../storage/blob-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { rowsWithin } from '../object-reach.ts';
import { pageOf, type Page } from '../page-by-creation.ts';
import { batchIdOf, noBatch } from './batch-id.ts';
import type { BatchPageRequest, NewBatch, NewFileBatch, NewMessageBatch, PageAfter } from './batch-input.ts';
import { MAX_MESSAGE_BATCH_BYTES, RETENTION_MS, WINDOW_MS } from './limits.ts';

export interface BatchesDependencies {
  readonly database: Database;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>;
  /** Called when there is a batch to run. */
  readonly onCreated: () => void;
  /** Called with the UUID of a batch that is to be cancelled. */
  readonly onCancelled: (id: string) => void;
  /** Called after a change that clients see. */
  readonly onChanged: (accountId: string, id: string) => void;
  readonly now: () => number;
}

/**
 * Batches as their clients see them. A batch that the caller may not access is not found. Every method that returns a promise
 * also throws SluiceError database_unavailable.
 */
export class BatchesService {
  readonly #dependencies: BatchesDependencies;

  constructor(dependencies: BatchesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Stores the requests of a message batch before it is created.
   * @param input validated requests, a line each
   * @throws SluiceError zero_retention | what `input` throws; nothing is stored then
   */
  storeRequests(key: KeyRecord, input: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    refuseZeroRetention(key);
    const { blobs, now } = this.#dependencies;
    const expiresAt = new Date(now() + RETENTION_MS);
    const sizeLimit = 2 * MAX_MESSAGE_BATCH_BYTES;
    return mapDatabaseErrors(() =>
      blobs.put(input, { accountId: key.accountId, contentType: 'application/jsonl', expiresAt, sizeLimit }),
    );
  }

  /** Deletes the requests of a message batch that is not created. */
  async discardRequests(key: KeyRecord, inputBlobId: string): Promise<void> {
    await this.#dependencies.blobs.delete(inputBlobId, key.accountId);
  }

  createFromMessages(given: NewMessageBatch): Promise<Batch> {
    const { beta, total, inputBlobId } = given;
    const startedAt = new Date(this.#dependencies.now());
    return this.#create(given, 'anthropic', { status: 'in_progress', beta, total, inputBlobId, startedAt });
  }

  /** @throws SluiceError zero_retention */
  createFromFile(given: NewFileBatch): Promise<Batch> {
    refuseZeroRetention(given.key);
    const { inputFileId, metadata, outputSeconds } = given;
    return this.#create(given, 'openai', { status: 'validating', inputFileId, metadata, outputSeconds });
  }

  /** @throws SluiceError not_found */
  get(reach: ObjectReach, protocol: BatchProtocol, publicId: string): Promise<Batch> {
    return mapDatabaseErrors(() => find(this.#dependencies.database.em(), reach, protocol, publicId));
  }

  /** Newest first, or for `before` in the order towards the newest. @throws SluiceError not_found */
  async list(reach: ObjectReach, protocol: BatchProtocol, page: BatchPageRequest): Promise<Page<Batch>> {
    const { limit, after, before } = page;
    const place = before ?? after;
    const from = place === null ? null : batchIdOf(protocol, place);
    return this.#page({ ...clientsOwn(reach), protocol }, { limit, from, backwards: before !== null });
  }

  /** Batches of both APIs, newest first. @param page with the UUID that it starts after @throws SluiceError not_found */
  async listAll(reach: ObjectReach, page: PageAfter): Promise<Page<Batch>> {
    return this.#page(clientsOwn(reach), page);
  }

  /** The account's batches among these UUIDs. */
  byIds(reach: ObjectReach, ids: readonly string[]): Promise<Batch[]> {
    const where = { ...clientsOwn(reach), id: { $in: [...ids] } };
    return mapDatabaseErrors(() => this.#dependencies.database.em().find(Batch, where));
  }

  /** Requests the cancellation. A batch that has ended is unchanged. @throws SluiceError not_found */
  async cancel(reach: ObjectReach, protocol: BatchProtocol, publicId: string): Promise<Batch> {
    const id = batchIdOf(protocol, publicId);
    const text = `
      update batches set cancel_asked_at = coalesce(cancel_asked_at, clock_timestamp())
      where id = $1 and account_id = $2 and ($3::uuid is null or api_key_id = $3) and ended_at is null and dataset_run_id is null`;
    await mapDatabaseErrors(() => this.#dependencies.database.query(text, [id, reach.accountId, reach.apiKeyId]));
    const batch = await this.get(reach, protocol, publicId);
    if (batch.endedAt === null) {
      this.#dependencies.onChanged(reach.accountId, id);
      this.#dependencies.onCancelled(id);
      this.#dependencies.onCreated();
    }
    return batch;
  }

  /** Deletes a batch that has ended, with its results. @throws SluiceError not_found | invalid_value */
  async remove(reach: ObjectReach, protocol: BatchProtocol, publicId: string): Promise<void> {
    const { database, blobs } = this.#dependencies;
    const blobId = await mapDatabaseErrors(() =>
      database.em().transactional(async (em) => {
        const batch = await find(em, reach, protocol, publicId);
        await em.lock(batch, LockMode.PESSIMISTIC_WRITE);
        if (batch.endedAt === null)
          throw new SluiceError('invalid_value', {
            param: 'message_batch_id',
            values: { reason: 'the batch is in progress. Cancel it, and delete it after it has ended.' },
          });
        em.remove(batch);
        return batch.resultsBlobId;
      }),
    );
    if (blobId !== null) await blobs.delete(blobId, reach.accountId);
  }

  /** The results of a message batch; null while it has none. @throws SluiceError not_found */
  async results(reach: ObjectReach, publicId: string): Promise<OpenBlob | null> {
    const { resultsBlobId } = await this.get(reach, 'anthropic', publicId);
    if (resultsBlobId === null) return null;
    return mapDatabaseErrors(() => this.#dependencies.blobs.get(resultsBlobId, reach.accountId));
  }

  #page(where: object, { limit, from, backwards }: PageAfter): Promise<Page<Batch>> {
    return mapDatabaseErrors(async () => {
      const em = this.#dependencies.database.em();
      const place = from === null ? undefined : ((await em.findOne(Batch, { id: from, ...where })) ?? noBatch());
      if (limit === 0) return { rows: [], hasMore: false };
      return pageOf(
        { limit, from: place, backwards },
        (conditions, order) => em.find(Batch, { $and: [where, ...conditions] }, order),
        true,
      );
    });
  }

  async #create(
    { id, key, endpoint }: NewBatch,
    protocol: BatchProtocol,
    given: Pick<Batch, 'status'> & Partial<Batch>,
  ): Promise<Batch> {
    const { database, onChanged, onCreated, now } = this.#dependencies;
    const created = now();
    const batch = await mapDatabaseErrors(async () => {
      const em = database.em();
      const row = em.create(Batch, {
        id,
        account: em.getReference(Account, key.accountId),
        apiKeyId: key.id,
        memberId: key.memberId,
        isBySession: key.credential === 'session',
        protocol,
        endpoint,
        createdAt: new Date(created),
        pass: 'collect',
        expiresAt: new Date(created + WINDOW_MS),
        removedAfter: new Date(created + RETENTION_MS),
        ...given,
      });
      await em.persist(row).flush();
      return row;
    });
    onChanged(key.accountId, id);
    onCreated();
    return batch;
  }
}

/** @throws SluiceError zero_retention */
function refuseZeroRetention({ zeroRetention }: KeyRecord): void {
  if (zeroRetention === true)
    throw new SluiceError('zero_retention', {
      values: { what: 'A batch', next: 'Send its requests one by one.' },
    });
}

/** Without those of dataset runs. */
function clientsOwn(reach: ObjectReach): ReturnType<typeof rowsWithin> & { datasetRun: null } {
  return { ...rowsWithin(reach), datasetRun: null };
}

async function find(em: EntityManager, reach: ObjectReach, protocol: BatchProtocol, publicId: string): Promise<Batch> {
  const id = batchIdOf(protocol, publicId);
  return (await em.findOne(Batch, { id, protocol, ...clientsOwn(reach) })) ?? noBatch();
}
