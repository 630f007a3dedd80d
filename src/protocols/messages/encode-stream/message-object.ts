import type { Usage } from '../../canonical/usage.ts';
import { messageUsage } from '../message-usage.ts';

/** The identity of a message. */
export interface MessageHead {
  /** `msg_…` */
  readonly id: string;
  /** The requested one, whichever the provider names: Claude Code returns no thinking of a message with another. */
  readonly model: string;
  /** The ID in the headers of its response; null where there is none. */
  readonly requestId: string | null;
}

/** A message without content and before its end. Source: the type `Message` of `@anthropic-ai/sdk` 1.14. */
export function messageObject({ id, model }: MessageHead, usage: Usage | null): object {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      ...messageUsage(usage),
      cache_creation: null,
      inference_geo: null,
      service_tier: null,
      speed: null,
    },
  };
}
