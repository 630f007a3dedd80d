import type { Video, VideoStatus } from '../../database/entities/index.ts';
import { publicVideoId } from './video-id.ts';

/** OpenAI's video object; all members are present. Source: OpenAI's API document, VideoResource. */
export interface VideoResource {
  readonly id: string;
  readonly object: 'video';
  readonly model: string;
  readonly status: VideoStatus;
  readonly progress: number;
  /** Unix seconds. */
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly expires_at: number | null;
  readonly prompt: string | null;
  /** Empty if neither the request nor the provider states it. */
  readonly size: string;
  readonly seconds: string;
  readonly remixed_from_video_id: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export function toVideoResource(video: Video): VideoResource {
  const { id, model, status, progress, prompt, size, seconds, remixedFrom, errorCode, errorMessage } = video;
  return {
    id: publicVideoId(id),
    object: 'video',
    model,
    status,
    progress,
    created_at: unixSeconds(video.createdAt),
    completed_at: video.completedAt && unixSeconds(video.completedAt),
    expires_at: video.expiresAt && unixSeconds(video.expiresAt),
    prompt,
    size: size ?? '',
    seconds: seconds === null ? '' : String(seconds),
    remixed_from_video_id: remixedFrom && publicVideoId(remixedFrom),
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
  };
}

function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
