import { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Video } from '../../database/entities/index.ts';
import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { VideoProgress } from '../../gateway/capabilities/video/video.ts';
import type { LimitStore } from '../../gateway/limits/limit-store.ts';
import type { UsageRecord } from '../../gateway/usage/usage-record.ts';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import { billEventIdOf, publicVideoId } from './video-id.ts';
import { videoBill, videoCost } from './video-bill.ts';
import { videoReservation } from './video-reservation.ts';
import { jobOf, type VideoProviders } from './video-providers.ts';
import { storableText } from '../../database/storable-text.ts';

export interface VideoProgressDependencies {
  readonly database: Database;
  readonly providers: VideoProviders;
  /** Writes the usage record to the journal; a repeated record is counted once. @throws SluiceError metering_unavailable */
  readonly bill: (record: UsageRecord) => Promise<void>;
  /** The limits that reserve its maximum cost until then. */
  readonly limits: Pick<LimitStore, 'releaseDeferredCharge'>;
  /** Called at least once for each video that ends, with the same event each time. */
  readonly onEnded: (video: Video) => Promise<void>;
  /** Called after each change, for watchers. */
  readonly onChanged: (videoId: string) => void;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

const pollData = z.strictObject({ videoId: z.uuid() });
const nothing = z.strictObject({});

/** Timeout of one poll. */
const POLL_TIMEOUT_MS = 15_000;
const LEASE_MS = 60_000;
const MIN_POLL_MS = 1_000;
const MAX_POLL_MS = 15_000;
/** Of the elapsed time. */
const POLL_SHARE = 0.15;
/** Videos whose job was not sent, or was lost with its process, are found by the sweep. */
const OVERDUE_MS = 20_000;
const SWEEP_ROWS = 1_000;
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Polls videos until they end, by durable jobs. Each job polls the provider once and sends the next one; it first postpones
 * the next poll, so that no two run concurrently, and at most one job per video is queued. The end is stored once; its
 * processing (billing and event) is idempotent and repeated until it succeeds.
 */
export class VideoProgressJobs {
  readonly #dependencies: VideoProgressDependencies;
  readonly #clock: Clock;
  readonly #queue: JobQueue;
  readonly #kind: JobKind<z.infer<typeof pollData>>;

  /** Defines its jobs, so it must be constructed before the queue starts. */
  constructor(queue: JobQueue, dependencies: VideoProgressDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#queue = queue;
    this.#kind = queue.define('look-at-video', pollData, ({ videoId }, { signal }) => this.#advance(videoId, signal), {
      timeoutSeconds: 120,
      retryDelaySeconds: 5,
      // A poll is short, and the queue gives each worker one job at a time.
      concurrency: 16,
      queueAtMostOne: true,
    });
    const sweep = queue.define('sweep-videos', nothing, () => this.sweep(OVERDUE_MS));
    queue.schedule(sweep, '* * * * *', {});
  }

  firstPollMs(reported: number | undefined): number {
    return reported ?? MIN_POLL_MS;
  }

  /** Resolves when the next poll is stored: a queued one is moved to this time. */
  follow({ id, pollAt }: Pick<Video, 'id' | 'pollAt'>): Promise<void> {
    return this.#queue.send(this.#kind, { videoId: id }, { startAfter: pollAt, key: id });
  }

  /**
   * Resumes videos of an earlier process, once the queue has started.
   * @param alone whether no other process polls videos: then none is being polled now
   */
  async resume(alone: boolean): Promise<void> {
    if (alone) {
      const now = new Date(this.#clock.now());
      const em = this.#dependencies.database.em();
      await em.nativeUpdate(Video, { settledAt: null, pollAt: { $gt: now } }, { pollAt: now });
    }
    await this.sweep(0);
  }

  /** Sends a job for each video whose poll is overdue, because its own was lost. */
  async sweep(overdueMs: number): Promise<void> {
    const before = new Date(this.#clock.now() - overdueMs);
    const lost = await this.#dependencies.database
      .em()
      .find(
        Video,
        { settledAt: null, pollAt: { $lte: before } },
        { fields: ['id', 'pollAt'], orderBy: { pollAt: 'asc' }, limit: SWEEP_ROWS },
      );
    for (const video of lost) await this.follow(video);
  }

  async #advance(id: string, signal: AbortSignal): Promise<void> {
    const em = this.#dependencies.database.em();
    const now = this.#clock.now();
    const claim = { settledAt: null, pollAt: { $lte: new Date(now) } };
    if ((await em.nativeUpdate(Video, { id, ...claim }, { pollAt: new Date(now + LEASE_MS) })) === 0) return;
    const found = await em.findOne(Video, { id }, { populate: ['account'] });
    if (found === null) return;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]);
    const video = found.completedAt === null ? await this.#write(found, await this.#poll(found, limit)) : found;
    if (video === null) return;
    if (video.completedAt !== null) await this.#settle(video);
    else await this.follow(video);
  }

  /** Null if the state is not known. */
  async #poll(video: Video, signal: AbortSignal): Promise<VideoProgress | null> {
    const { providers, log } = this.#dependencies;
    const late = this.#clock.now() >= video.deadlineAt.getTime();
    try {
      const service = await providers.find(video.account.id, video.connectionId);
      const reported = service === null ? null : await service.poll(jobOf(video), signal);
      if (!late || (reported !== null && reported.status !== 'queued' && reported.status !== 'in_progress'))
        return reported;
      await service?.remove?.(jobOf(video), signal).catch(() => undefined);
    } catch (thrown) {
      const error = toSluiceError(thrown);
      log.warn({ video: publicVideoId(video.id), code: error.code, detail: error.detail }, 'video poll failed');
      if (isFinal(error)) return { status: 'failed', code: error.wireCode ?? error.code, message: error.message };
    }
    return late
      ? { status: 'failed', code: 'timeout', message: 'The provider did not finish the video in time.' }
      : null;
  }

  /** Stores the progress, unless the video ended meanwhile. @returns the current row; null if there is none */
  async #write(video: Video, progress: VideoProgress | null): Promise<Video | null> {
    const now = this.#clock.now();
    const before = video.progress;
    const was = video.status;
    apply(video, progress, now);
    const { status, upstreamState, seconds, size, quality, errorCode, errorMessage, costNano, billEventId } = video;
    const { progress: percent, estimated, completedAt, expiresAt, pollAt } = video;
    const em = this.#dependencies.database.em();
    const written = await em.nativeUpdate(
      Video,
      { id: video.id, completedAt: null },
      {
        status,
        upstreamState,
        progress: percent,
        seconds,
        size,
        quality,
        errorCode,
        errorMessage,
        costNano,
        billEventId,
        estimated,
        completedAt,
        expiresAt,
        pollAt,
      },
    );
    if (written === 0) return em.findOne(Video, { id: video.id }, { populate: ['account'] });
    if (percent !== before || status !== was) this.#dependencies.onChanged(video.id);
    return video;
  }

  /** A failed video is not billed. */
  async #settle(video: Video): Promise<void> {
    if (video.status === 'completed') await this.#dependencies.bill(videoBill(video));
    await this.#dependencies.onEnded(video);
    await this.#dependencies.database
      .em()
      .nativeUpdate(Video, { id: video.id }, { settledAt: new Date(this.#clock.now()) });
    // Afterwards: budgets that are opened meanwhile reserve the cost of rows that are not settled.
    this.#dependencies.limits.releaseDeferredCharge(videoReservation(video));
    this.#dependencies.onChanged(video.id);
  }
}

function apply(video: Video, progress: VideoProgress | null, now: number): void {
  video.pollAt = new Date(now + nextMs(video, progress, now));
  if (progress === null) return;
  if (progress.status === 'failed') {
    video.status = 'failed';
    video.errorCode = progress.code;
    video.errorMessage = storableText(progress.message.slice(0, MAX_MESSAGE_LENGTH));
    video.completedAt = new Date(now);
    return;
  }
  video.upstreamState = progress.state ?? video.upstreamState;
  if (progress.status !== 'completed') {
    video.status = progress.status;
    // It never decreases, and reaches 100 only at completion.
    video.progress = Math.min(99, Math.max(video.progress, Math.round(progress.progress ?? 0)));
    return;
  }
  const { seconds, size, quality, expiresAt } = progress;
  video.status = 'completed';
  video.progress = 100;
  const reported = seconds ?? null;
  video.seconds = reported ?? video.seconds;
  video.size = size ?? video.size;
  video.quality = quality ?? null;
  video.estimated = reported === null && (video.estimated || video.seconds === null);
  video.expiresAt = expiresAt === undefined || expiresAt === null ? null : new Date(expiresAt);
  video.completedAt = new Date(now);
  video.costNano = videoCost(video);
  video.billEventId = billEventIdOf(video.id);
}

function nextMs(video: Video, progress: VideoProgress | null, now: number): number {
  if (progress !== null && 'pollAfterMs' in progress && progress.pollAfterMs !== undefined) return progress.pollAfterMs;
  const elapsed = now - video.createdAt.getTime();
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, elapsed * POLL_SHARE));
}

/**
 * Whether the provider has no such job, or will never return it. Rate limits and rejected credentials may be resolved before
 * the deadline.
 */
function isFinal({ code, status, upstream }: SluiceError): boolean {
  return code === 'provider_error' && upstream !== undefined && status >= 400 && status < 500 && status !== 429;
}
