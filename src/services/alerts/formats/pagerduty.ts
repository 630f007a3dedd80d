import type { Notification } from '../notification.ts';
import type { AlertMessage } from './message.ts';

/** The endpoints of the service regions. Source: https://support.pagerduty.com/main/docs/service-regions */
export const pagerDutyUrls = {
  us: 'https://events.pagerduty.com/v2/enqueue',
  eu: 'https://events.eu.pagerduty.com/v2/enqueue',
} as const;

/** 32 characters. Source: https://developer.pagerduty.com/docs/send-alert-event */
export const routingKeyPattern = /^[A-Za-z0-9]{32}$/;
const MAX_SUMMARY_LENGTH = 1_024;

/**
 * An event of the Events API v2. The incident is the `dedup_key`, so that a repeated trigger changes nothing and the resolution
 * finds it. A test is a trigger of severity `info`.
 * Source: https://developer.pagerduty.com/docs/send-alert-event
 */
export function pagerDutyBody(
  { event }: Notification,
  { title, summary, facts, url }: AlertMessage,
  routingKey: string,
): object {
  const target = { routing_key: routingKey, dedup_key: `sluice-${event.incidentId}` };
  if (event.transition === 'resolved') return { ...target, event_action: 'resolve' };
  return {
    ...target,
    event_action: 'trigger',
    client: 'Sluice',
    client_url: url,
    links: [{ href: url, text: 'Open dashboard' }],
    payload: {
      summary: `${title} – ${summary}`.slice(0, MAX_SUMMARY_LENGTH),
      source: new URL(url).host,
      severity: event.transition === 'test' ? 'info' : severities[event.kind],
      timestamp: event.createdAt.toISOString(),
      class: event.kind,
      custom_details: Object.fromEntries(facts),
    },
  };
}

const severities = {
  spend: 'warning',
  error_rate: 'error',
  latency: 'warning',
  provider_down: 'critical',
  spend_anomaly: 'warning',
  key_expiring: 'warning',
  budget: 'warning',
} as const;
