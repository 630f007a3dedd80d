import { z } from 'zod';

/** The event types. Names of video events are OpenAI's. */
export const webhookEvents = ['video.completed', 'video.failed', 'budget.alert', 'api_key.expiring'] as const;
export type WebhookEventType = (typeof webhookEvents)[number];

/** An event as receivers get it. Source: OpenAI's API document, WebhookEvent. */
export const webhookEventSchema = z.strictObject({
  /** The same in every delivery. */
  id: z.string(),
  object: z.literal('event'),
  type: z.enum(webhookEvents),
  /** Unix seconds. */
  created_at: z.int(),
  data: z.record(z.string(), z.unknown()),
});

export type WebhookEvent = z.infer<typeof webhookEventSchema>;
