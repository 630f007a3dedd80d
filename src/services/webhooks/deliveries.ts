import { z } from 'zod';
import { systemClock, unixSeconds, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Webhook } from '../../database/entities/index.ts';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import { PostFailure, type GuardedPost } from '../../outbound/guarded-post.ts';
import type { CredentialVault } from '../connections/credential-vault.ts';
import { signatureHeaders } from './signature.ts';
import { webhookEventSchema, type WebhookEvent } from './webhook-events.ts';

const GONE = 410;

export interface WebhookDeliveriesParts {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly post: Pick<GuardedPost, 'post'>;
  /** Before the first retry; each one after that waits twice as long, up to an hour. */
  readonly retryDelaySeconds?: number;
  readonly clock?: Clock;
}

const delivery = z.strictObject({ webhookId: z.uuid(), event: webhookEventSchema });

/** With the pauses doubling from 15 s to an hour, about a day in all. */
const RETRIES = 31;
/** Servers that never answer hold one each until its time is over. */
const MOST_AT_ONCE = 16;
/** So that an account with slow servers delays its own news alone. */
const MOST_OF_ONE_ACCOUNT = 2;

/**
 * Tells receivers of events, by jobs on the durable queue: each until it takes the event with a status of 200 to 299, for
 * about a day. The body is the same at every attempt, its signature of the time of each. 410 ends it at once. Of one account,
 * few are under way at once.
 */
export class WebhookDeliveries {
  readonly #parts: WebhookDeliveriesParts;
  readonly #clock: Clock;
  readonly #queue: JobQueue;
  readonly #kind: JobKind<z.infer<typeof delivery>>;

  /** Defines its jobs: before the queue is started. */
  constructor(queue: JobQueue, parts: WebhookDeliveriesParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#queue = queue;
    this.#kind = queue.define('deliver-webhook', delivery, ({ webhookId, event }) => this.#deliver(webhookId, event), {
      timeoutSeconds: 60,
      retries: RETRIES,
      retryDelaySeconds: parts.retryDelaySeconds ?? 15,
      concurrency: MOST_AT_ONCE,
      groupConcurrency: MOST_OF_ONE_ACCOUNT,
    });
  }

  /** Resolves when it is stored: from then on it will be told. */
  send(accountId: string, webhookId: string, event: WebhookEvent): Promise<void> {
    return this.#queue.send(this.#kind, { webhookId, event }, { group: accountId });
  }

  async #deliver(id: string, event: WebhookEvent): Promise<void> {
    const { database, vault } = this.#parts;
    const webhook = await database.em().findOne(Webhook, { id });
    if (webhook === null) return;
    const secret = vault.open(webhook.sealedSecret, { accountId: webhook.account.id, rowId: id });
    const { status, failure } = await this.#post(webhook.url, secret, event);
    const now = new Date(this.#clock.now());
    await database.em().nativeUpdate(
      Webhook,
      { id },
      {
        lastAttemptAt: now,
        lastStatus: status,
        lastFailure: failure,
        ...(failure === null && { lastDeliveredAt: now }),
      },
    );
    if (failure !== null && status !== GONE) throw new Error(`A webhook was not taken: ${failure}.`);
  }

  async #post(
    url: string,
    secret: string,
    event: WebhookEvent,
  ): Promise<{ status: number | null; failure: string | null }> {
    const body = JSON.stringify(event);
    const signed = signatureHeaders(secret, { id: event.id, timestamp: unixSeconds(this.#clock), body });
    const headers = { 'content-type': 'application/json', 'user-agent': 'sluice-webhooks/1', ...signed };
    try {
      const status = await this.#parts.post.post(url, headers, body);
      const taken = status >= 200 && status < 300;
      return { status, failure: taken ? null : `it answered with status ${status}` };
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error;
      return { status: null, failure: error.message };
    }
  }
}
