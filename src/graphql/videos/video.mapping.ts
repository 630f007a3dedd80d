import type { Video as VideoEntity } from '../../database/entities/index.ts';
import { publicVideoId } from '../../services/videos/video-id.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import { VideoStatus, type Video } from './video.types.ts';

const statuses: Readonly<Record<VideoEntity['status'], VideoStatus>> = {
  queued: VideoStatus.QUEUED,
  in_progress: VideoStatus.IN_PROGRESS,
  completed: VideoStatus.COMPLETED,
  failed: VideoStatus.FAILED,
};

export function toVideo(row: VideoEntity): Video {
  const { model, provider, progress, prompt, seconds, size, createdAt, completedAt, expiresAt } = row;
  return {
    id: toGlobalId('Video', row.id),
    videoId: publicVideoId(row.id),
    model,
    provider,
    status: statuses[row.status],
    progress,
    prompt,
    seconds,
    size,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
    remixedFrom: row.remixedFrom && publicVideoId(row.remixedFrom),
    cost: row.costNano === null ? null : usd(row.costNano),
    createdAt,
    completedAt,
    expiresAt,
  };
}
