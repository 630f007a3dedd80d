import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { systemClock, unixSeconds, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Webhook } from '../../database/entities/index.ts';
import type { StorageLog } from '../../database/log.ts';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import { PostFailure, type GuardedPost } from '../../outbound/guarded-post.ts';
import type { CredentialVault } from '../connections/credential-vault.ts';
import { retryDelayMs } from './retry-delay.ts';
import { signatureHeaders } from './signature.ts';
import { webhookEventSchema, type WebhookEvent } from './webhook-events.ts';

const HTTP_GONE = 410;

/** A webhook that was disabled because all deliveries failed. */
export interface DisabledWebhook {
  readonly accountId: string;
  readonly url: string;
  readonly failingSince: Date;
  /** Why the last attempt failed. */
  readonly reason: string;
}

export interface WebhookDeliveriesDependencies {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly post: Pick<GuardedPost, 'post'>;
  readonly log: Pick<StorageLog, 'info' | 'warn'>;
  /** Called once for each webhook that is disabled. */
  readonly onDisabled: (webhook: DisabledWebhook) => Promise<void>;
  /** Delay before the first retry; it doubles up to an hour. */
  readonly retryDelaySeconds?: number;
  readonly clock?: Clock;
}

const delivery = z.strictObject({
  webhookId: z.uuid(),
  event: webhookEventSchema,
  /** RFC 3339: no attempt is made after this time. Events from earlier versions have none. */
  until: z.iso.datetime().optional(),
});
type Delivery = z.infer<typeof delivery>;

/** How long all deliveries must fail before a webhook is disabled. */
const DISABLED_AFTER_MS = 3 * 86_400_000;
/** Longer than that by the maximum delay, so that the last attempt at a failing webhook disables it. */
const RETRY_WINDOW_MS = DISABLED_AFTER_MS + 3_600_000;
/** A server that does not respond occupies one slot until the timeout. */
const MAX_CONCURRENT = 16;
/** Limits the effect of slow servers to their own account. */
const MAX_PER_ACCOUNT = 2;

const recordFailure = `
update webhooks set last_attempt_at = $2, last_status = $3, last_failure = $4, failures = failures + 1,
  failing_since = coalesce(failing_since, $2), retry_at = greatest(retry_at, $5)
where id = $1 and disabled_at is null returning failures`;

interface Attempt {
  readonly status: number | null;
  /** Null if the event was accepted. */
  readonly failure: string | null;
}

/**
 * Delivers events to webhooks by durable jobs: each is retried for three days until a response with status 200 to 299. The
 * body is identical in every attempt; the signature has the time of the attempt. A response with status 410 stops retries.
 * While a webhook fails, all its events wait for the next attempt; after three days of failures it is disabled, and its
 * pending events are dropped. Deliveries of one account are limited to a few concurrent ones.
 */
export class WebhookDeliveries {
  readonly #dependencies: WebhookDeliveriesDependencies;
  readonly #clock: Clock;
  readonly #queue: JobQueue;
  readonly #kind: JobKind<Delivery>;

  /** Defines its jobs, so it must be constructed before the queue starts. */
  constructor(queue: JobQueue, dependencies: WebhookDeliveriesDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#queue = queue;
    this.#kind = queue.define('deliver-webhook', delivery, (job) => this.#deliver(job), {
      timeoutSeconds: 60,
      concurrency: MAX_CONCURRENT,
      groupConcurrency: MAX_PER_ACCOUNT,
    });
  }

  /** Resolves when the delivery is stored; it is then sent even if this process exits. */
  send(accountId: string, webhookId: string, event: WebhookEvent): Promise<void> {
    return this.#queue.send(this.#kind, { webhookId, event, until: this.#until() }, { group: accountId });
  }

  #until(): string {
    return new Date(this.#clock.now() + RETRY_WINDOW_MS).toISOString();
  }

  async #deliver(job: Delivery): Promise<void> {
    const { database, vault } = this.#dependencies;
    const webhook = await database.em().findOne(Webhook, { id: job.webhookId });
    if (webhook === null || webhook.disabledAt !== null) return;
    const { retryAt } = webhook;
    if (retryAt !== null && retryAt.getTime() > this.#clock.now()) return this.#sendAgain(job, webhook, retryAt);
    const secret = vault.open(webhook.sealedSecret, { accountId: webhook.account.id, rowId: webhook.id });
    const attempt = await this.#post(webhook.url, secret, job.event);
    if (attempt.failure === null) await this.#succeeded(webhook, attempt.status);
    else await this.#failed(job, webhook, attempt.status, attempt.failure);
  }

  async #succeeded({ id, account }: Webhook, status: number | null): Promise<void> {
    const now = new Date(this.#clock.now());
    const em = this.#dependencies.database.em();
    const delivered = { lastAttemptAt: now, lastDeliveredAt: now, lastStatus: status, lastFailure: null };
    const reset = { failures: 0, failingSince: null, retryAt: null };
    const wasFailing = await em.nativeUpdate(Webhook, { id, failingSince: { $ne: null } }, { ...delivered, ...reset });
    if (wasFailing === 0) await em.nativeUpdate(Webhook, { id }, delivered);
    else this.#dependencies.log.info({ webhook: id, account: account.id }, 'webhook works again');
  }

  async #failed(job: Delivery, webhook: Webhook, status: number | null, reason: string): Promise<void> {
    const { database, log, retryDelaySeconds = 15 } = this.#dependencies;
    const { id, account, failingSince } = webhook;
    const now = this.#clock.now();
    const retryAt = new Date(now + retryDelayMs(webhook.failures + 1, retryDelaySeconds * 1_000));
    const values = [id, new Date(now), status, reason, retryAt];
    const [recorded] = await database.query<{ failures: number }>(recordFailure, values);
    // It was deleted or disabled meanwhile.
    if (recorded === undefined) return;
    if (Number(recorded.failures) === 1)
      log.warn({ webhook: id, account: account.id, reason }, 'webhook delivery failed; retrying');
    const failsForMs = failingSince === null ? 0 : now - failingSince.getTime();
    if (failsForMs >= DISABLED_AFTER_MS) return this.#disable(id, reason);
    const isOver = job.until !== undefined && Date.parse(job.until) <= now;
    if (status !== HTTP_GONE && !isOver) await this.#sendAgain(job, webhook, retryAt);
  }

  /** As a new job: both may run in either order, because receivers identify events by their id. */
  #sendAgain(job: Delivery, { account }: Webhook, startAfter: Date): Promise<void> {
    const { until = this.#until() } = job;
    return this.#queue.send(this.#kind, { ...job, until }, { group: account.id, startAfter });
  }

  async #disable(id: string, reason: string): Promise<void> {
    const disabled = await this.#dependencies.database.em().transactional(async (em) => {
      const row = await em.findOne(Webhook, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      // Another attempt succeeded, or disabled it first.
      if (row === null || row.failingSince === null || row.disabledAt !== null) return null;
      const now = this.#clock.now();
      if (now - row.failingSince.getTime() < DISABLED_AFTER_MS) return null;
      row.disabledAt = new Date(now);
      return { accountId: row.account.id, url: row.url, failingSince: row.failingSince, reason };
    });
    if (disabled === null) return;
    const { accountId, failingSince } = disabled;
    this.#dependencies.log.warn(
      { webhook: id, account: accountId, failingSince, reason },
      'webhook disabled: it failed for 3 days',
    );
    await this.#dependencies.onDisabled(disabled);
  }

  async #post(url: string, secret: string, event: WebhookEvent): Promise<Attempt> {
    const body = JSON.stringify(event);
    const signed = signatureHeaders(secret, { id: event.id, timestamp: unixSeconds(this.#clock), body });
    const headers = { 'content-type': 'application/json', 'user-agent': 'sluice-webhooks/1', ...signed };
    try {
      const status = await this.#dependencies.post.post(url, headers, body);
      const taken = status >= 200 && status < 300;
      return { status, failure: taken ? null : `it returned status ${status}` };
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error;
      return { status: null, failure: error.message };
    }
  }
}
