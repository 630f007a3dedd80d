import type { Video } from '../../database/entities/index.ts';
import type { WebhookEvent } from '../webhooks/webhook-events.ts';
import { toVideoResource } from './video-resource.ts';

/** The event of a video's completion or failure, without its prompt. The same at every call. */
export function videoEvent(video: Video): WebhookEvent {
  const { prompt: _prompt, ...described } = toVideoResource(video);
  const { completed_at: at, created_at: begun } = described;
  return {
    id: `evt_${video.id.replaceAll('-', '')}`,
    object: 'event',
    type: video.status === 'completed' ? 'video.completed' : 'video.failed',
    created_at: at ?? begun,
    data: described,
  };
}
