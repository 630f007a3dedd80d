import { randomUUID } from 'node:crypto';
import type { AlertRule, AlertTransition } from '../../database/entities/index.ts';
import type { SqlClient } from '../../database/sql.ts';
import type { Reading } from './readings/observation.ts';
import { summaryOf } from './summary.ts';

/** What an evaluation stored. */
export interface StoredTransition {
  readonly eventId: string;
  /** Deliveries that were created with it. */
  readonly deliveryIds: readonly string[];
}

/**
 * The rule must be as it was evaluated, and the evaluation newer than the last one: of repeated or concurrent evaluations, one
 * changes the state.
 */
const fire = `
insert into alert_states (rule_id, subject, label, is_firing, value, evaluated_at, changed_at, incident_id, is_notified)
select id, $2, $3, true, $4, $5, $5, $6, $7 from alert_rules where id = $1 and changed_at = $8 and enabled for share
on conflict (rule_id, subject) do update set label = excluded.label, is_firing = true, value = excluded.value,
  evaluated_at = excluded.evaluated_at, changed_at = excluded.changed_at, incident_id = excluded.incident_id,
  is_notified = excluded.is_notified
where not alert_states.is_firing and alert_states.evaluated_at < excluded.evaluated_at
returning rule_id`;

/** @see fire. A rule that is deleted resolves whatever another process evaluated last (`$6`). */
const resolve = `
with firing as (
  select rule_id, subject, incident_id from alert_states where rule_id = $1 and subject = $2 and is_firing
    and (evaluated_at < $4 or $6) and exists (select from alert_rules where id = $1 and changed_at = $5)
  for update
)
update alert_states set is_firing = false, value = $3, evaluated_at = $4, changed_at = $4, incident_id = null, is_notified = false
from firing where alert_states.rule_id = firing.rule_id and alert_states.subject = firing.subject
returning firing.incident_id`;

const insertEvent = `
insert into alert_events (id, account_id, rule_id, rule_name, kind, transition, subject, label, value, threshold, summary, path,
  incident_id, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

const toChannels = `
insert into alert_deliveries (id, event_id, channel_id, channel_name, channel_kind, recipient, retry_at)
select gen_random_uuid(), $1, channel.id, channel.name, channel.kind, coalesce(recipient, ''), $2
from alert_channels as channel left join lateral unnest(channel.recipients) as each(recipient) on true
where channel.account_id = $3 and channel.id = any($4::uuid[])
on conflict do nothing returning id`;

/** A resolution is sent to those that were notified of the incident. */
const toNotified = `
insert into alert_deliveries (id, event_id, channel_id, channel_name, channel_kind, recipient, retry_at)
select gen_random_uuid(), $1, channel_id, channel_name, channel_kind, recipient, $2
from alert_deliveries where event_id = $3 and channel_id is not null
on conflict do nothing returning id`;

const notifyLate = `
update alert_states set is_notified = true
where rule_id = $1 and subject = $2 and is_firing and not is_notified
returning incident_id`;

interface IdRow {
  readonly id: string;
}

function ids(rows: readonly IdRow[]): readonly string[] {
  return rows.map(({ id }) => id);
}

/** Null if the alert fires already, or another evaluation was later. Call it in a transaction. */
export async function storeFired(
  client: SqlClient,
  rule: AlertRule,
  reading: Reading,
  at: Date,
): Promise<StoredTransition | null> {
  const eventId = randomUUID();
  const isMuted = rule.mutedUntil !== null && rule.mutedUntil > at;
  const { subject, label, value } = reading;
  const { rows } = await client.query(fire, [rule.id, subject, label, value, at, eventId, !isMuted, rule.changedAt]);
  if (rows.length === 0) return null;
  await storeEvent(client, rule, reading, { id: eventId, transition: 'fired', incidentId: eventId, at });
  return { eventId, deliveryIds: isMuted ? [] : await notifyChannels(client, rule, eventId, at) };
}

/** Null if the alert does not fire, or another evaluation was later. Call it in a transaction. */
export async function storeResolved(
  client: SqlClient,
  rule: AlertRule,
  reading: Reading,
  at: Date,
  isDeleted = false,
): Promise<StoredTransition | null> {
  const { subject, value } = reading;
  const values = [rule.id, subject, value, at, rule.changedAt, isDeleted];
  const { rows } = await client.query<{ incident_id: string }>(resolve, values);
  const [resolved] = rows;
  if (resolved === undefined) return null;
  const eventId = randomUUID();
  const incidentId = resolved.incident_id;
  await storeEvent(client, rule, reading, { id: eventId, transition: 'resolved', incidentId, at });
  const sent = await client.query<IdRow>(toNotified, [eventId, at, incidentId]);
  return { eventId, deliveryIds: ids(sent.rows) };
}

/** Notifies of an alert that began to fire while its rule was muted. Null if it does not, or was notified. */
export async function storeLateNotification(
  client: SqlClient,
  rule: AlertRule,
  subject: string,
  at: Date,
): Promise<StoredTransition | null> {
  const { rows } = await client.query<{ incident_id: string }>(notifyLate, [rule.id, subject]);
  const [late] = rows;
  if (late === undefined) return null;
  return { eventId: late.incident_id, deliveryIds: await notifyChannels(client, rule, late.incident_id, at) };
}

async function notifyChannels(
  client: SqlClient,
  rule: AlertRule,
  eventId: string,
  at: Date,
): Promise<readonly string[]> {
  const channels = `{${rule.channelIds.join()}}`;
  const { rows } = await client.query<IdRow>(toChannels, [eventId, at, rule.account.id, channels]);
  return ids(rows);
}

async function storeEvent(
  client: SqlClient,
  rule: AlertRule,
  reading: Reading,
  event: { readonly id: string; readonly transition: AlertTransition; readonly incidentId: string; readonly at: Date },
): Promise<void> {
  await client.query(insertEvent, [
    event.id,
    rule.account.id,
    rule.id,
    rule.name,
    rule.kind,
    event.transition,
    reading.subject,
    reading.label,
    reading.value,
    rule.threshold,
    summaryOf(event.transition, rule, reading),
    reading.path,
    event.incidentId,
    event.at,
  ]);
}
