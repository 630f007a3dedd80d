import type { Webhook as WebhookEntity } from '../../database/entities/index.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { WebhookEvent, type Webhook } from './webhook.types.ts';

const allEvents = Object.values(WebhookEvent);

export function toWebhook(row: WebhookEntity): Webhook {
  const {
    url,
    secretHint,
    createdAt,
    lastDeliveredAt,
    lastAttemptAt,
    lastStatus,
    lastFailure,
    failingSince,
    disabledAt,
  } = row;
  return {
    id: toGlobalId('Webhook', row.id),
    url,
    events: allEvents.filter((event) => row.events.includes(event)),
    secretHint,
    createdAt,
    lastDeliveredAt,
    lastAttemptAt,
    lastStatus,
    lastFailure,
    failingSince,
    disabledAt,
  };
}
