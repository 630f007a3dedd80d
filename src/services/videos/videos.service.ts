import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { unknownModel, type Catalogue } from '../../catalogue/catalogue.ts';
import type { Database } from '../../database/database.ts';
import { Account, Video } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type {
  RemixSource,
  AcceptedVideo,
  VideoContent,
  VideoVariant,
  RequestedRange,
} from '../../gateway/capabilities/video/video.ts';
import type { Tags } from '../../gateway/call.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { RequestTrace } from '../../gateway/usage/request-trace.ts';
import type { LimitStore } from '../../gateway/limits/limit-store.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { rowsWithin } from '../object-reach.ts';
import type { ListPageRequest } from '../list-page.ts';
import { videoReservation } from './video-reservation.ts';
import { noVideo, videoIdOf } from './video-input.ts';
import { jobOf, type VideoProviders } from './video-providers.ts';
import type { VideoProgressJobs } from './video-progress.ts';
import { toVideoResource } from './video-resource.ts';

/** Per account. */
const MAX_UNFINISHED = 50;
const CAPACITY_RETRY_MS = 10_000;
const DEFAULT_DEADLINE_MS = 60 * 60_000;
const REMOVE_TIMEOUT_MS = 15_000;
const POLL_INTERVAL_MS = 3_000;

export interface VideosDependencies {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly providers: VideoProviders;
  readonly progress: Pick<VideoProgressJobs, 'follow' | 'firstPollMs'>;
  /** Reserves a video's maximum cost in its budgets until it is billed. */
  readonly limits: Pick<LimitStore, 'reserveForDeferredCharge'>;
  /** Reports changes by the video's id. */
  readonly changes: ChangeSource;
  /** Maximum duration of a generation; an hour where absent. */
  readonly deadlineMs?: number;
  readonly clock?: Clock;
}

export interface ChangeSource {
  /** Resolves at the next change, after `withinMs`, or when `signal` aborts. */
  next(videoId: string, withinMs: number, signal: AbortSignal): Promise<void>;
}

/** The request that creates a video. */
export interface VideoOrigin {
  readonly key: Pick<KeyRecord, 'id' | 'accountId' | 'memberId' | 'plan'>;
  /** The request's event id, which is also the video's. */
  readonly eventId: string;
  readonly remixedFrom: string | null;
  /** The request's tags; null for none. */
  readonly tags: Tags | null;
  /** What groups the request with others; null for nothing. */
  readonly trace: Pick<RequestTrace, 'sessionId' | 'traceId'> | null;
}

export interface VideoPage {
  readonly rows: readonly Video[];
  readonly hasMore: boolean;
}

/**
 * Videos of an account. A video that the caller may not access is not found. Every method also throws SluiceError
 * database_unavailable.
 */
export class VideosService {
  readonly #dependencies: VideosDependencies;
  readonly #clock: Clock;

  constructor(dependencies: VideosDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /**
   * Limits an account's running videos, so that those of others are still polled. @throws SluiceError rate_limit_concurrency
   */
  async requireCapacity(accountId: string): Promise<void> {
    const unfinished = { account: accountId, completedAt: null };
    const used = await mapDatabaseErrors(() => this.#dependencies.database.em().count(Video, unfinished));
    if (used < MAX_UNFINISHED) return;
    const values = { model: 'videos', account: accountId, limit: MAX_UNFINISHED, used, wait: '10s' };
    throw new SluiceError('rate_limit_concurrency', { retryAfterMs: CAPACITY_RETRY_MS, values });
  }

  /** Stores a job that a provider accepted; it is polled from now on. */
  store(origin: VideoOrigin, { request, started, ...accepted }: AcceptedVideo): Promise<Video> {
    const { database, catalogue, progress, deadlineMs = DEFAULT_DEADLINE_MS } = this.#dependencies;
    const { key, eventId, remixedFrom, tags, trace } = origin;
    const { provider, upstreamModel, connectionId } = accepted;
    const record = catalogue.named(provider, upstreamModel) ?? unknownModel(provider, upstreamModel);
    const now = this.#clock.now();
    return mapDatabaseErrors(async () => {
      const em = database.em();
      const video = em.create(Video, {
        id: eventId,
        account: em.getReference(Account, key.accountId),
        apiKeyId: key.id,
        memberId: key.memberId,
        connectionId,
        provider,
        model: record.id,
        requestedModel: request.requestedModel,
        upstreamModel,
        upstreamId: started.id,
        upstreamState: started.state ?? {},
        seconds: started.seconds,
        estimated: started.secondsAssumed ?? false,
        size: started.size,
        prompt: request.prompt,
        remixedFrom,
        rates: record.rates,
        markupPpm: key.plan.markupPpm === 0 ? null : key.plan.markupPpm,
        tags,
        sessionId: trace?.sessionId ?? null,
        traceId: trace?.traceId ?? null,
        priceVersion: record.priceVersion,
        createdAt: new Date(now),
        deadlineAt: new Date(now + deadlineMs),
        pollAt: new Date(now + progress.firstPollMs(started.pollAfterMs)),
      });
      await em.persist(video).flush();
      // The request that created it reserves the same amount until it ends.
      this.#dependencies.limits.reserveForDeferredCharge(videoReservation(video));
      // If this fails, the sweep finds it.
      await progress.follow(video).catch(() => undefined);
      return video;
    });
  }

  /** @throws SluiceError not_found */
  get(reach: ObjectReach, publicId: string): Promise<Video> {
    return mapDatabaseErrors(() => this.#find(this.#dependencies.database.em(), reach, videoIdOf(publicId)));
  }

  /** The account's videos among these UUIDs. */
  byIds(reach: ObjectReach, ids: readonly string[]): Promise<Video[]> {
    const id = { $in: [...ids] };
    return mapDatabaseErrors(() => this.#dependencies.database.em().find(Video, { ...rowsWithin(reach), id }));
  }

  /** @throws SluiceError not_found if `after` is not found */
  list(reach: ObjectReach, { limit, order, after }: ListPageRequest): Promise<VideoPage> {
    return mapDatabaseErrors(async () => {
      const em = this.#dependencies.database.em();
      const from = after === null ? null : await this.#find(em, reach, videoIdOf(after));
      if (limit === 0) return { rows: [], hasMore: false };
      const beyond = order === 'desc' ? '$lt' : '$gt';
      const rows = await em.find(
        Video,
        {
          ...rowsWithin(reach),
          ...(from && {
            $or: [
              { createdAt: { [beyond]: from.createdAt } },
              { createdAt: from.createdAt, id: { [beyond]: from.id } },
            ],
          }),
        },
        { orderBy: [{ createdAt: order }, { id: order }], limit: limit + 1 },
      );
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  /**
   * Deletes a finished video, also at the provider.
   * @throws SluiceError not_found | video_not_ready
   */
  remove(reach: ObjectReach, publicId: string): Promise<void> {
    return mapDatabaseErrors(async () => {
      const em = this.#dependencies.database.em();
      const video = await this.#find(em, reach, videoIdOf(publicId));
      // A running video must be paid for and is billed at its end, so it cannot be deleted before.
      if (video.settledAt === null) throw notReady(video, 'it can be deleted once it is completed or has failed');
      const service = await this.#dependencies.providers.find(reach.accountId, video.connectionId);
      // If the provider cannot delete it now, it expires by the provider's rules.
      await service?.remove?.(jobOf(video), AbortSignal.timeout(REMOVE_TIMEOUT_MS)).catch(() => undefined);
      await em.nativeDelete(Video, { id: video.id });
    });
  }

  /** @throws SluiceError not_found | video_not_ready | provider_* */
  async content(
    reach: ObjectReach,
    publicId: string,
    variant: VideoVariant,
    part: RequestedRange,
    signal: AbortSignal,
  ): Promise<{ readonly video: Video; readonly content: VideoContent }> {
    const video = await this.get(reach, publicId);
    if (video.status !== 'completed') throw notReady(video, 'its content is available once it is completed');
    const service = await this.#dependencies.providers.find(reach.accountId, video.connectionId);
    const expired = video.expiresAt !== null && video.expiresAt.getTime() <= this.#clock.now();
    const content = expired || service === null ? null : await service.content(jobOf(video), variant, part, signal);
    if (content === null) throw new SluiceError('not_found', { values: { what: `${variant} of this video` } });
    return { video, content };
  }

  /** @throws SluiceError not_found | video_not_ready */
  async remixSource(reach: ObjectReach, publicId: string): Promise<RemixSource & { readonly id: string }> {
    const video = await this.get(reach, publicId);
    if (video.status !== 'completed') throw notReady(video, 'it can be remixed once it is completed');
    const { id, connectionId, model, requestedModel } = video;
    return { id, connectionId, model, requestedModel, job: jobOf(video) };
  }

  /**
   * Streams a video's state now and after each change, to its end. Changes by other processes are delayed by some seconds.
   * @throws SluiceError not_found, also if it is deleted meanwhile
   */
  async *watch(reach: ObjectReach, publicId: string, signal: AbortSignal): AsyncGenerator<Video> {
    let seen = '';
    while (!signal.aborted) {
      const changed = this.#dependencies.changes.next(videoIdOf(publicId), POLL_INTERVAL_MS, signal);
      const video = await this.get(reach, publicId);
      const now = `${video.status} ${video.progress}`;
      if (now !== seen) yield video;
      if (video.completedAt !== null) return;
      seen = now;
      await changed;
    }
  }

  async #find(em: EntityManager, reach: ObjectReach, id: string): Promise<Video> {
    return (await em.findOne(Video, { id, ...rowsWithin(reach) })) ?? noVideo();
  }
}

/** The response to the request that creates a video. */
export function renderVideo(video: Video): string {
  return JSON.stringify(toVideoResource(video));
}

function notReady({ status }: Video, reason: string): SluiceError {
  return new SluiceError('video_not_ready', { values: { status: status.replace('_', ' '), reason } });
}
