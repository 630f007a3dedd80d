import { type SluiceError, toSluiceError, unreachable } from '../../../errors/index.ts';
import type { HttpAnswer } from '../../../providers/shared/batches/batch-service.ts';
import { TargetHealth } from '../../routing/health/target-health.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { ResolvedRoute } from '../../routing/resolved-route.ts';
import type { Target } from '../../routing/target.ts';
import type { BatchRequest, LeasedBatch, StoredLine } from '../batch.ts';
import { lineIds } from '../line-identity.ts';
import type { LineRecorder } from '../line-recorder.ts';
import { lineResult, type LineAnswer } from '../line-result.ts';
import { openLine } from '../open-line.ts';
import { isLimit } from '../../limits/limit-refusal.ts';
import type { ProviderBatchDependencies } from './dependencies.ts';
import type { ProviderBatch } from './provider-batch.ts';
import { GIVE_UP_MS } from './provider-progress.ts';

/** Rates of an event that is charged already. */
const noRates = { rates: null, ratesByTier: null, servedAs: () => null } as const;

/** Passes responses of a provider's batch API on, as if each had just arrived, and bills them. */
export class LineDelivery {
  readonly #dependencies: ProviderBatchDependencies;
  readonly #batch: LeasedBatch;
  readonly #recorder: LineRecorder;
  readonly #batches: ReadonlyMap<string, ProviderBatch>;
  #key: Promise<KeyRecord> | null = null;

  constructor(
    dependencies: ProviderBatchDependencies,
    batch: LeasedBatch,
    recorder: LineRecorder,
    batches: readonly ProviderBatch[],
  ) {
    this.#dependencies = dependencies;
    this.#batch = batch;
    this.#recorder = recorder;
    this.#batches = new Map(batches.map((each) => [each.id, each]));
  }

  /** @returns false where the line has to be delivered later */
  async deliver(stored: StoredLine, answer: HttpAnswer, { customId, body }: BatchRequest): Promise<boolean> {
    const { protocol, id, endpoint, beta } = this.#batch;
    const { line } = stored;
    const beganAt = stored.beganAt ?? this.#batch.linesBeganAt;
    const ids = lineIds(id, line, stored.attempt, beganAt);
    let delivered: LineAnswer;
    try {
      const key = await this.#billedKey();
      const route = await this.#routeOf(stored, answer, key, body);
      const isModerated = route.moderation !== null || key.moderation !== null;
      const isCharged = await this.#isCharged(ids.eventId, beganAt, isModerated);
      const call = {
        ...ids,
        key,
        startedAt: this.#dependencies.clock.monotonic(),
        rerunBeganAt: beganAt,
        cacheMs: 0,
        tags: null,
        watch: null,
        batchId: id,
        answered: isCharged ? uncharged(route) : route,
        serviceTier: 'batch',
      } as const;
      const request = { endpoint, beta, body: Buffer.from(JSON.stringify(body)) };
      delivered = await openLine(this.#dependencies, call, request);
    } catch (thrown) {
      delivered = { type: 'failed', error: toSluiceError(thrown), wasSent: false };
    }
    if (delivered.type === 'failed' && isLimit(delivered.error) && !this.#hasGivenUp(delivered.error)) {
      // Its output could not be moderated. Without a begin record, nothing is charged.
      if (delivered.wasSent && delivered.error.code !== 'metering_unavailable')
        this.#dependencies.charged.add(ids.eventId);
      return false;
    }
    this.#dependencies.charged.delete(ids.eventId);
    this.#recorder.add(lineResult({ protocol, line, customId, requestId: ids.requestId }, delivered));
    return true;
  }

  /** An outage of this server passes; that of a moderation model may last. */
  #hasGivenUp({ code }: SluiceError): boolean {
    return code === 'moderation_unavailable' && this.#dependencies.clock.now() >= this.#batch.expiresAt + GIVE_UP_MS;
  }

  /** Whether the cost of an event counts already: its usage record is stored once, but a limit store charges each time. */
  async #isCharged(eventId: string, beganAt: number, isModerated: boolean): Promise<boolean> {
    if (this.#dependencies.charged.has(eventId)) return true;
    // Another process may have charged it. Only moderation withholds a response that is charged.
    return isModerated && this.#dependencies.store.hasFailed(this.#batch, eventId, beganAt);
  }

  /** @throws SluiceError provider_unreachable where the connection was removed */
  async #routeOf(
    { providerBatchId }: StoredLine,
    answer: HttpAnswer,
    key: KeyRecord,
    { model }: BatchRequest['body'],
  ): Promise<ResolvedRoute> {
    const { pipeline, connection: find, clock } = this.#dependencies;
    const { router } = pipeline.dependencies;
    const sent = this.#batches.get(providerBatchId ?? '');
    const own = sent && (await find(sent.connectionId, key.accountId));
    const connection = own?.through?.(() => answer);
    // Routes and aliases that are named like its model lead elsewhere.
    const direct = connection && router.direct(connection, sent?.upstreamModel ?? '');
    const found = direct?.listed[0];
    if (direct === undefined || found === undefined)
      throw unreachable({ provider: sent?.model.split('/')[0] ?? '', reason: 'its connection was removed' });
    // What providers' batch APIs do is no measure of their other requests.
    const target = { ...found, health: new TargetHealth(clock) };
    const named = (typeof model === 'string' ? router.resolve(model, key) : undefined) ?? direct;
    return {
      ...named,
      ...only(target),
      order: 'listed',
      sticky: false,
      keepsConversations: false,
      retries: 0,
      larger: null,
      hasUnpriced: target.isUnpriced,
      cacheMs: null,
    };
  }

  #billedKey(): Promise<KeyRecord> {
    this.#key ??= this.#dependencies.keys.findBilled(this.#batch);
    return this.#key;
  }
}

function uncharged(route: ResolvedRoute): ResolvedRoute {
  const [target] = route.listed;
  return target === undefined ? route : { ...route, ...only({ ...target, ...noRates }) };
}

function only(target: Target): Pick<ResolvedRoute, 'targets' | 'listed'> {
  return { targets: [{ target, weight: 1 }], listed: [target] };
}
