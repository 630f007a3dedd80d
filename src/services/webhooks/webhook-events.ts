import { z } from 'zod';

/** What can be told of. The names of videos are OpenAI's. */
export const webhookEvents = ['video.completed', 'video.failed', 'budget.alert', 'api_key.expiring'] as const;
export type WebhookEventType = (typeof webhookEvents)[number];

/** One thing that happened, as each receiver is told of it. Source: OpenAI's API document, WebhookEvent. */
export const webhookEventSchema = z.strictObject({
  /** The same however often it is told. */
  id: z.string(),
  object: z.literal('event'),
  type: z.enum(webhookEvents),
  /** Unix seconds. */
  created_at: z.int(),
  data: z.record(z.string(), z.unknown()),
});

export type WebhookEvent = z.infer<typeof webhookEventSchema>;
