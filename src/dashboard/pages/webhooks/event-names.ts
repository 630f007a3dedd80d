import type { WebhookEvent } from '../../generated/graphql.ts';

export const events: readonly WebhookEvent[] = ['VIDEO_COMPLETED', 'VIDEO_FAILED', 'BUDGET_ALERT', 'API_KEY_EXPIRING'];

/** The names in the body of an event. */
export const eventNames: Readonly<Record<WebhookEvent, string>> = {
  VIDEO_COMPLETED: 'video.completed',
  VIDEO_FAILED: 'video.failed',
  BUDGET_ALERT: 'budget.alert',
  API_KEY_EXPIRING: 'api_key.expiring',
};

export const eventHints: Readonly<Record<WebhookEvent, string>> = {
  VIDEO_COMPLETED: 'The video can be downloaded.',
  VIDEO_FAILED: 'The video could not be generated. Nothing is billed.',
  BUDGET_ALERT: 'A budget has reached one of its thresholds.',
  API_KEY_EXPIRING: 'An API key expires within 7 days, and again within 1 day.',
};
