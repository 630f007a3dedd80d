import { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { AlertChannelKind, AlertKind, AlertTransition } from '../../database/entities/index.ts';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import { retryDelayMs } from '../webhooks/retry-delay.ts';
import type { Notification } from './notification.ts';
import type { AlertSender, Attempt } from './sender.ts';

const job = z.strictObject({ deliveryId: z.uuid() });

const FIRST_RETRY_MS = 15_000;
/** Longer than an attempt: if the process dies meanwhile, another one makes the next. */
const LEASE_MS = 120_000;
const RETRY_WINDOW_MS = 86_400_000;
const SWEPT_ROWS = 1_000;
const MAX_CONCURRENT = 8;
const MAX_PER_ACCOUNT = 2;

interface ClaimedRow {
  readonly attempts: number;
  readonly recipient: string;
  readonly channel_id: string;
  readonly channel_kind: AlertChannelKind;
  readonly sealed_target: Buffer | null;
  readonly account_id: string;
  readonly account_name: string;
  readonly event_id: string;
  readonly incident_id: string;
  readonly rule_id: string | null;
  readonly rule_name: string;
  readonly kind: AlertKind;
  readonly transition: AlertTransition;
  readonly subject: string;
  readonly label: string;
  readonly value: number | null;
  readonly threshold: number | null;
  readonly summary: string;
  readonly path: string;
  readonly created: number;
}

/** Not if another process has made a later attempt meanwhile: this one was paused for longer than its lease. */
const record = `
update alert_deliveries set last_status = $3, last_failure = $4, retry_at = $5, delivered_at = $6
where id = $1 and attempts = $2 returning id`;

/** A resolution waits for the notification of its incident, so that no receiver gets them in the wrong order. */
const claim = `
update alert_deliveries as delivery set attempts = attempts + 1, attempted_at = $2, retry_at = $3
from alert_events as event, alert_channels as channel, accounts as account
where delivery.id = $1 and delivery.retry_at <= $2 and event.id = delivery.event_id and channel.id = delivery.channel_id
  and account.id = event.account_id
  and not exists (
    select from alert_deliveries as earlier where earlier.event_id = event.incident_id and event.incident_id <> event.id
      and earlier.channel_id = delivery.channel_id and earlier.recipient = delivery.recipient and earlier.retry_at is not null)
returning delivery.attempts, delivery.recipient, channel.id as channel_id, channel.kind as channel_kind, channel.sealed_target,
  event.account_id, account.name as account_name, event.id as event_id, event.incident_id, event.rule_id, event.rule_name,
  event.kind, event.transition, event.subject, event.label, event.value, event.threshold, event.summary, event.path,
  (extract(epoch from event.created_at) * 1000)::float8 as created`;

const abandonDeleted = `
update alert_deliveries set retry_at = null, last_failure = 'the channel was deleted'
where retry_at is not null and channel_id is null`;

const due = `
select delivery.id, event.account_id from alert_deliveries as delivery join alert_events as event on event.id = event_id
where retry_at <= $1 order by retry_at limit ${SWEPT_ROWS}`;

const waiting = `
select delivery.id, event.account_id from alert_deliveries as delivery join alert_events as event on event.id = event_id
where event.incident_id = $1 and event.id <> $1 and delivery.retry_at is not null`;

export interface AlertDeliveriesDependencies {
  readonly database: Database;
  readonly sender: Pick<AlertSender, 'send'>;
  readonly clock?: Clock;
}

/**
 * Sends stored notifications by durable jobs, each retried for a day. One attempt at a time is made for each: the attempt is
 * claimed by a conditional update.
 */
export class AlertDeliveries {
  readonly #dependencies: AlertDeliveriesDependencies;
  readonly #clock: Clock;
  readonly #queue: JobQueue;
  readonly #kind: JobKind<z.infer<typeof job>>;

  /** Defines its jobs, so it must be constructed before the queue starts. */
  constructor(queue: JobQueue, dependencies: AlertDeliveriesDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#queue = queue;
    this.#kind = queue.define('deliver-alert', job, ({ deliveryId }) => this.deliver(deliveryId), {
      timeoutSeconds: 60,
      retries: 0,
      concurrency: MAX_CONCURRENT,
      groupConcurrency: MAX_PER_ACCOUNT,
    });
  }

  /** Queues stored deliveries. */
  async send(accountId: string, deliveryIds: readonly string[]): Promise<void> {
    for (const deliveryId of deliveryIds) await this.#queue.send(this.#kind, { deliveryId }, { group: accountId });
  }

  /** Queues deliveries whose job was lost with its process, or whose attempt did not end. */
  async sendDue(): Promise<void> {
    const { database } = this.#dependencies;
    await database.query(abandonDeleted);
    const rows = await database.query<{ id: string; account_id: string }>(due, [new Date(this.#clock.now())]);
    for (const { id, account_id: accountId } of rows) await this.send(accountId, [id]);
  }

  /** Makes an attempt, if one is due. */
  async deliver(deliveryId: string): Promise<void> {
    const { database, sender } = this.#dependencies;
    const now = this.#clock.now();
    const values = [deliveryId, new Date(now), new Date(now + LEASE_MS)];
    const [row] = await database.query<ClaimedRow>(claim, values);
    if (row === undefined) return;
    const attempt = await sender.send(notificationOf(deliveryId, row));
    const retryAt = this.#retryAt(row, attempt);
    const recorded = await database.query(record, [
      deliveryId,
      row.attempts,
      attempt.status,
      attempt.failure,
      retryAt,
      attempt.failure === null ? new Date(this.#clock.now()) : null,
    ]);
    if (recorded.length === 0) return;
    if (retryAt !== null)
      await this.#queue.send(this.#kind, { deliveryId }, { group: row.account_id, startAfter: retryAt });
    else await this.#sendWaiting(row);
  }

  #retryAt({ attempts, created }: ClaimedRow, { failure, isFinal }: Attempt): Date | null {
    const now = this.#clock.now();
    if (failure === null || isFinal || now - created >= RETRY_WINDOW_MS) return null;
    return new Date(now + retryDelayMs(attempts, FIRST_RETRY_MS));
  }

  /** A resolution may have waited for this attempt. */
  async #sendWaiting({ transition, event_id: eventId }: ClaimedRow): Promise<void> {
    if (transition !== 'fired') return;
    const rows = await this.#dependencies.database.query<{ id: string; account_id: string }>(waiting, [eventId]);
    for (const { id, account_id: accountId } of rows) await this.send(accountId, [id]);
  }
}

function notificationOf(id: string, row: ClaimedRow): Notification {
  const { kind, transition, subject, label, value, threshold, summary, path } = row;
  return {
    id,
    channel: { id: row.channel_id, kind: row.channel_kind, sealedTarget: row.sealed_target },
    recipient: row.recipient,
    accountId: row.account_id,
    accountName: row.account_name,
    event: {
      id: row.event_id,
      incidentId: row.incident_id,
      ruleId: row.rule_id,
      ruleName: row.rule_name,
      kind,
      transition,
      subject,
      label,
      value,
      threshold,
      summary,
      path,
      createdAt: new Date(row.created),
    },
  };
}
