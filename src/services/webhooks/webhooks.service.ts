import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { Webhook } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { GuardedPost } from '../../outbound/guarded-post.ts';
import type { CredentialVault } from '../connections/credential-vault.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { isUuid } from '../uuid.ts';
import type { WebhookDeliveries } from './deliveries.ts';
import { newSigningSecret } from './signature.ts';
import { webhookEvents, type WebhookEvent, type WebhookEventType } from './webhook-events.ts';

const MAX_WEBHOOKS = 10;
const HINT_LENGTH = 4;

export interface WebhooksDependencies {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly post: Pick<GuardedPost, 'checkUrl'>;
  readonly deliveries: Pick<WebhookDeliveries, 'send'>;
}

export interface NewWebhook {
  readonly url: string;
  /** All types where absent or empty. */
  readonly events?: readonly WebhookEventType[] | null | undefined;
}

const eventTypes = z.array(z.enum(webhookEvents));

/** An account's webhooks. Another account's webhook is not found. Every method also throws SluiceError database_unavailable. */
export class WebhooksService {
  readonly #dependencies: WebhooksDependencies;

  constructor(dependencies: WebhooksDependencies) {
    this.#dependencies = dependencies;
  }

  list(accountId: string): Promise<Webhook[]> {
    const orderBy = { createdAt: 'asc', id: 'asc' } as const;
    return mapDatabaseErrors(() => this.#dependencies.database.em().find(Webhook, { account: accountId }, { orderBy }));
  }

  /** The secret is returned only here. @throws SluiceError outbound_refused | too_many_webhooks */
  async create(accountId: string, { url, events }: NewWebhook): Promise<{ secret: string; webhook: Webhook }> {
    const { database, vault, post } = this.#dependencies;
    post.checkUrl(url, 'url');
    const types = events === undefined || events === null || events.length === 0 ? webhookEvents : events;
    return mapDatabaseErrors(() =>
      database.em().transactional(async (em) => {
        // Locked, so that concurrent calls count each other's webhooks.
        const account = await lockAccount(em, accountId);
        if ((await em.count(Webhook, { account: accountId })) >= MAX_WEBHOOKS)
          throw new SluiceError('too_many_webhooks', { values: { limit: MAX_WEBHOOKS } });
        const id = randomUUID();
        const secret = newSigningSecret();
        const webhook = em.create(Webhook, {
          id,
          account,
          url,
          events: [...new Set(types)],
          secretHint: `…${secret.slice(-HINT_LENGTH)}`,
          sealedSecret: vault.seal(secret, { accountId, rowId: id }),
          createdAt: new Date(),
        });
        await em.persist(webhook).flush();
        return { secret, webhook };
      }),
    );
  }

  /** Pending deliveries are dropped. @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    await mapDatabaseErrors(async () => {
      const em = this.#dependencies.database.em();
      const webhook = isUuid(id) ? await em.findOne(Webhook, { id, account: accountId }) : null;
      if (webhook === null) throw new SluiceError('not_found', { values: { what: 'webhook' } });
      await em.remove(webhook).flush();
    });
  }

  /** Resumes deliveries of new events. @throws SluiceError not_found */
  enable(accountId: string, id: string): Promise<Webhook> {
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().transactional(async (em) => {
        const where = { id, account: accountId };
        const webhook = isUuid(id) ? await em.findOne(Webhook, where, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null;
        if (webhook === null) throw new SluiceError('not_found', { values: { what: 'webhook' } });
        return em.assign(webhook, { disabledAt: null, failures: 0, failingSince: null, retryAt: null });
      }),
    );
  }

  /** Resolves when deliveries to all subscribed webhooks are stored. Disabled webhooks receive nothing. */
  async publish(accountId: string, event: WebhookEvent): Promise<void> {
    const listening = (await this.list(accountId)).filter(
      ({ events, disabledAt }) => disabledAt === null && eventTypes.parse(events).includes(event.type),
    );
    for (const { id } of listening) await this.#dependencies.deliveries.send(accountId, id, event);
  }
}
