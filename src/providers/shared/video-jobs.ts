import type { Readable } from 'node:stream';
import type { ParameterPolicy } from '../contract.ts';
import type { VideoRequest } from './video-request.ts';

/** What a provider needs to know to begin a video. */
export interface VideoCall {
  /** The provider's own model name, without our `provider/` prefix. */
  readonly model: string;
  readonly request: VideoRequest;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
}

/** A call that was checked, and not sent yet. */
export interface PreparedVideo {
  /** Names of the parameters that the provider is not sent. */
  readonly dropped: readonly string[];
  /** Asks the provider. @throws SluiceError provider_* */
  start(signal: AbortSignal): Promise<StartedVideo>;
}

/** What a provider's job is found again by, in another process too: small, and no secret. */
export type VideoJobState = Readonly<Record<string, string>>;

/** A job that a provider has taken. */
export interface StartedVideo {
  /** The provider's own. */
  readonly id: string;
  readonly state?: VideoJobState;
  /** As long as it will be; null where neither caller nor provider says. */
  readonly seconds: number | null;
  /** Whether `seconds` is what was asked for, or what is usual: the provider has not said it. It may say it at the end. */
  readonly secondsAssumed?: boolean;
  /** `1280x720`; null where neither says. */
  readonly size: string | null;
  /** When it is worth asking first; as the gateway sees fit where absent. */
  readonly pollAfterMs?: number;
}

/** A job as the gateway has kept it. */
export interface VideoJob {
  readonly id: string;
  readonly state: VideoJobState;
  /** The provider's own model name. */
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number | null;
  readonly size: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** How a job stands. `state` replaces what was kept. */
export type VideoProgress =
  | {
      readonly status: 'queued' | 'in_progress';
      /** 0 to 100; null where the provider does not say. */
      readonly progress: number | null;
      readonly state?: VideoJobState;
      readonly pollAfterMs?: number;
    }
  | {
      readonly status: 'completed';
      readonly state?: VideoJobState;
      /** Where the provider tells what it made. */
      readonly seconds?: number | null;
      readonly size?: string | null;
      /** As the prices name it. */
      readonly quality?: string | null;
      /** Until when its content can be had, in milliseconds since the epoch. */
      readonly expiresAt?: number | null;
    }
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

export const videoVariants = ['video', 'thumbnail', 'spritesheet'] as const;
export type VideoVariant = (typeof videoVariants)[number];

/** The part of a content that is wanted, as HTTP says it. */
export interface RequestedRange {
  /** One range: `bytes=0-499`. */
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** A content on its way. */
export interface VideoContent {
  /** 200, 206 or 416. */
  readonly status: number;
  /** Of those that tell of a content: `content-type`, `content-length`, `content-range`, `accept-ranges`, `etag`, `last-modified`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing is read ahead of it but a socket's buffers. To be destroyed where it is not read to its end. */
  readonly body: Readable;
}

/**
 * How a provider makes videos. A video takes minutes, so a job is asked for by its id, and may be by another process than the
 * one that began it. All throw SluiceError provider_*.
 */
export interface VideoService {
  /** @throws SluiceError of status 400 for what the provider cannot take, before anything is sent */
  prepare(call: VideoCall): PreparedVideo;
  poll(job: VideoJob, signal: AbortSignal): Promise<VideoProgress>;
  /** Of a completed job. Null where there is no such variant. */
  content(
    job: VideoJob,
    variant: VideoVariant,
    part: RequestedRange,
    signal: AbortSignal,
  ): Promise<VideoContent | null>;
  /** Makes a completed video anew with another prompt. */
  remix?(job: VideoJob, call: VideoCall): PreparedVideo;
  /** Removes a job with what it made, or ends one that is under way. One that is gone is removed. */
  remove?(job: VideoJob, signal: AbortSignal): Promise<void>;
}
