import type { Video } from '../../database/entities/index.ts';
import type { VideoJob, VideoService } from '../../gateway/capabilities/video/video.ts';

/** Finds the provider of a stored video. */
export interface VideoProviders {
  /** Null if the connection no longer exists, or supports no videos. */
  find(accountId: string, connectionId: string): Promise<VideoService | null>;
}

/** The data by which a provider identifies its job. */
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
