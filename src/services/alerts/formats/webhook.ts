import { kindTraits } from '../alert-kinds.ts';
import type { Notification } from '../notification.ts';
import type { AlertMessage } from './message.ts';

type PublicId = (type: 'AlertRule' | 'Alert', id: string) => string;

/** An event in the form of the account's webhooks; the same in every attempt. */
export function webhookBody({ event }: Notification, { summary, url }: AlertMessage, publicId: PublicId): object {
  const { id, incidentId, ruleId, ruleName, kind, transition, subject, label, value, threshold, createdAt } = event;
  return {
    id: webhookEventId(id),
    object: 'event',
    type: `alert.${transition}`,
    created_at: Math.floor(createdAt.getTime() / 1_000),
    data: {
      id: publicId('Alert', id),
      object: 'alert',
      incident_id: publicId('Alert', incidentId),
      rule_id: ruleId === null ? null : publicId('AlertRule', ruleId),
      rule_name: ruleName,
      kind,
      subject: subject === '' ? null : label,
      value,
      threshold,
      unit: kindTraits[kind].unit,
      summary,
      url,
    },
  };
}

export function webhookEventId(eventId: string): string {
  return `evt_${eventId.replaceAll('-', '')}`;
}
