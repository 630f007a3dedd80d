import type { Video } from '../../database/entities/index.ts';
import type { VideoJob, VideoService } from '../../gateway/capabilities/video/video.ts';

/** The providers' ways to videos, found again by what a video has kept of them. */
export interface VideoProviders {
  /** Null where the connection is no more, or makes no videos. */
  find(accountId: string, connectionId: string): Promise<VideoService | null>;
}

/** What a provider finds its job by. */
export function jobOf(video: Video): VideoJob {
  return {
    id: video.upstreamId,
    state: video.upstreamState,
    model: video.upstreamModel,
    prompt: video.prompt,
    seconds: video.seconds,
    size: video.size,
    createdAt: video.createdAt.getTime(),
  };
}
