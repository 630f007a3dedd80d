import type { Readable } from 'node:stream';
import type { ParameterPolicy } from '../../../protocols/canonical/parameter-policy.ts';
import type { VideoRequest } from '../media/video-request.ts';

/** A request to create a video. */
export interface VideoCall {
  /** The provider's own model name, without our `provider/` prefix. */
  readonly model: string;
  readonly request: VideoRequest;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
}

/** A validated call that is not sent yet. */
export interface PreparedVideo {
  /** The names of the dropped parameters. */
  readonly dropped: readonly string[];
  /** Sends the request. @throws SluiceError provider_* */
  start(signal: AbortSignal): Promise<StartedVideo>;
}

/** Identifies a provider's job across processes. Small, and not secret. */
export type VideoJobState = Readonly<Record<string, string>>;

/** A job that a provider has accepted. */
export interface StartedVideo {
  /** The provider's own. */
  readonly id: string;
  readonly state?: VideoJobState;
  /** The length of the video; null if neither client nor provider states it. */
  readonly seconds: number | null;
  /** Whether `seconds` is requested or a default, not reported by the provider, which may report it on completion. */
  readonly secondsAssumed?: boolean;
  /** `1280x720`; null if neither states it. */
  readonly size: string | null;
  /** The delay before the first poll; chosen by the gateway if absent. */
  readonly pollAfterMs?: number;
}

/** A stored job. */
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

/** The status of a job. `state` replaces the stored state. */
export type VideoProgress =
  | {
      readonly status: 'queued' | 'in_progress';
      /** 0 to 100; null if the provider does not report it. */
      readonly progress: number | null;
      readonly state?: VideoJobState;
      readonly pollAfterMs?: number;
    }
  | {
      readonly status: 'completed';
      readonly state?: VideoJobState;
      /** As reported by the provider. */
      readonly seconds?: number | null;
      readonly size?: string | null;
      /** The quality name used in prices. */
      readonly quality?: string | null;
      /** When its content expires, in milliseconds since the epoch. */
      readonly expiresAt?: number | null;
    }
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

export const videoVariants = ['video', 'thumbnail', 'spritesheet'] as const;
export type VideoVariant = (typeof videoVariants)[number];

/** The requested part of a content, as HTTP headers. */
export interface RequestedRange {
  /** One range: `bytes=0-499`. */
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** A content that is being streamed. */
export interface VideoContent {
  /** 200, 206 or 416. */
  readonly status: number;
  /** A subset of: `content-type`, `content-length`, `content-range`, `accept-ranges`, `etag`, `last-modified`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Only socket buffers are read ahead. Destroy it unless it is read to its end. */
  readonly body: Readable;
}

/**
 * A provider's video API. A video takes minutes, so a job is polled by its id, possibly by another process than the one that
 * started it. All throw SluiceError provider_*.
 */
export interface VideoService {
  /** @throws SluiceError of status 400 for unsupported values, before anything is sent */
  prepare(call: VideoCall): PreparedVideo;
  poll(job: VideoJob, signal: AbortSignal): Promise<VideoProgress>;
  /** The content of a completed job. Null if there is no such variant. */
  content(
    job: VideoJob,
    variant: VideoVariant,
    part: RequestedRange,
    signal: AbortSignal,
  ): Promise<VideoContent | null>;
  /** Creates a variation of a completed video with another prompt. */
  remix?(job: VideoJob, call: VideoCall): PreparedVideo;
  /** Deletes a job with its content, or cancels a running one. Succeeds if it does not exist any more. */
  remove?(job: VideoJob, signal: AbortSignal): Promise<void>;
}
