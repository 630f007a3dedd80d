import type { BatchService, SentRequest } from '../../../providers/shared/batches/batch-service.ts';
import { type SluiceError, toSluiceError } from '../../../errors/index.ts';
import { newEventIds } from '../../event-id.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { CollectableRequest } from '../../collectable-request.ts';
import type { Waiter } from '../batch-lane.ts';
import type { BatchRequest, LeasedBatch } from '../batch.ts';
import { CurrentKey } from '../current-key.ts';
import { openLine } from '../open-line.ts';
import { isLimit } from '../../limits/limit-refusal.ts';
import { waitBeforeRetry } from '../retry-policy.ts';
import type { ProviderBatchDependencies } from './dependencies.ts';
import type { CollectedLine, ProviderBatch, ProviderBatchGroup } from './provider-batch.ts';
import { reserveBatch } from './provider-reservation.ts';

/** Why a line was not collected: null where it is left to Sluice. */
type Refusal = SluiceError | null;

/** Collects the lines of a batch that providers' batch APIs are to run, admitted like other requests. */
export class LineCollector {
  readonly #dependencies: ProviderBatchDependencies;
  readonly #batch: LeasedBatch;
  readonly #waiter: Waiter;
  readonly #key: CurrentKey;
  readonly #batches: Map<string, ProviderBatch>;
  #lines: CollectedLine[] = [];

  /** @param batches those of earlier turns */
  constructor(
    dependencies: ProviderBatchDependencies,
    batch: LeasedBatch,
    waiter: Waiter,
    batches: readonly ProviderBatch[],
  ) {
    this.#dependencies = dependencies;
    this.#batch = batch;
    this.#waiter = waiter;
    this.#key = new CurrentKey(dependencies, batch);
    this.#batches = new Map(batches.map((each) => [each.id, each]));
  }

  /** Stores what was collected since the last call. @returns false where the lease is lost */
  async store(): Promise<boolean> {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length === 0) return true;
    const changed = new Set(lines.map(({ providerBatchId }) => providerBatchId));
    const batches = [...this.#batches.values()].filter(({ id }) => changed.has(id));
    return this.#dependencies.providerBatches.collect(this.#batch, lines, batches);
  }

  /** Collects a line, unless its route leaves it to Sluice, which then reports its errors too. @returns false where the turn is over */
  async collect(line: number, request: BatchRequest): Promise<boolean> {
    const { lane } = this.#dependencies;
    for (let waits = 0; ; waits++) {
      const key = await this.#key.get().catch(() => null);
      if (key === null || !this.#isForProvider(key, request)) return true;
      const leave = await lane.enter(this.#waiter, key);
      if (leave === null) return false;
      const refusal = await this.#tryOnce(line, request, key).finally(leave);
      if (refusal === null || !isLimit(refusal)) return true;
      const wait = waitBeforeRetry({ error: refusal, wasSent: false, waits, failures: 0 });
      if (wait === null) return true;
      await lane.pause(this.#waiter, wait);
      if (this.#waiter.isOver) return false;
    }
  }

  #isForProvider(key: KeyRecord, { body: { model } }: BatchRequest): boolean {
    const { router } = this.#dependencies.pipeline.dependencies;
    const route = typeof model === 'string' ? router.resolve(model, key) : undefined;
    return route?.batches === 'provider' && route.listed.some(({ connection }) => connection.batches !== undefined);
  }

  #tryOnce(line: number, { body }: BatchRequest, key: KeyRecord): Promise<Refusal> {
    const { clock } = this.#dependencies;
    const { endpoint, beta } = this.#batch;
    const beganAt = clock.now();
    return new Promise((resolve) => {
      const collect = (request: CollectableRequest): Promise<boolean> =>
        this.#take(line, beganAt, request).finally(() => resolve(null));
      const call = {
        // Not those of the delivery: shared limits count what has an id only once.
        ...newEventIds(beganAt),
        key,
        startedAt: clock.monotonic(),
        rerunBeganAt: beganAt,
        cacheMs: 0,
        tags: null,
        watch: null,
        collect,
      };
      const request = { endpoint, beta, body: Buffer.from(JSON.stringify(body)) };
      void openLine(this.#dependencies, call, request).then(
        (answer) => resolve(answer.type === 'failed' ? answer.error : null),
        (error: unknown) => resolve(toSluiceError(error)),
      );
    });
  }

  /** Adds a request to a batch of its provider. @returns whether its batch API runs such requests */
  async #take(line: number, beganAt: number, { target, costNano, sendBy }: CollectableRequest): Promise<boolean> {
    const { connection, model, upstreamModel } = target;
    const { batches: service } = connection;
    const requests: SentRequest[] = [];
    const capturing = connection.through?.((request) => {
      requests.push(request);
      return null;
    });
    if (service === undefined || capturing === undefined) return false;
    try {
      await sendBy(capturing);
    } catch {
      // Sluice runs it, and reports the same error.
      return false;
    }
    const [sent, another] = requests;
    if (sent === undefined || another !== undefined) return false;
    // The length of its name is part of the length of the batch.
    const known = service.partOf(sent, partIdOf(ANY_ID, line));
    if (known === null) return false;
    const bytes = Buffer.byteLength(known.text);
    const group = { connectionId: connection.id, model, upstreamModel, kind: known.kind };
    const batch = this.#openBatch(group, service, bytes);
    const part = service.partOf(sent, partIdOf(batch.id, line));
    if (part === null) return false;
    const grown = {
      ...batch,
      total: batch.total + 1,
      bytes: batch.bytes + bytes,
      reservedNano: batch.reservedNano + costNano,
    };
    this.#batches.set(batch.id, grown);
    if (costNano > 0n) reserveBatch(this.#dependencies.limits, this.#batch, grown);
    this.#lines.push({ line, providerBatchId: batch.id, part: part.text, beganAt });
    return true;
  }

  /** A batch of the group that has room. */
  #openBatch(group: ProviderBatchGroup, { maxRequests, maxBytes }: BatchService, bytes: number): ProviderBatch {
    for (const batch of this.#batches.values())
      if (
        batch.stage === 'collecting' &&
        batch.connectionId === group.connectionId &&
        batch.upstreamModel === group.upstreamModel &&
        batch.kind === group.kind &&
        batch.total < maxRequests &&
        batch.bytes + bytes <= maxBytes
      )
        return batch;
    const createdAt = this.#dependencies.clock.now();
    return {
      ...group,
      id: newEventIds(createdAt).eventId,
      stage: 'collecting',
      total: 0,
      bytes: 0,
      reservedNano: 0n,
      uploadId: null,
      externalId: null,
      creatingSince: null,
      isCancelled: false,
      counts: { succeeded: 0, failed: 0 },
      createdAt,
    };
  }
}

const ANY_ID = '00000000-0000-0000-0000-000000000000';

/** The id of a line in a provider's batch: letters and digits, and at most 43 characters. */
function partIdOf(providerBatchId: string, line: number): string {
  return `${providerBatchId.replaceAll('-', '')}-${line}`;
}

/** The line of a part; null for one of another batch. */
export function lineOfPart(providerBatchId: string, partId: string): number | null {
  const prefix = `${providerBatchId.replaceAll('-', '')}-`;
  const number = partId.startsWith(prefix) ? partId.slice(prefix.length) : '';
  return /^\d{1,9}$/.test(number) ? Number(number) : null;
}
