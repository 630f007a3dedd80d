import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { AlertChannel, AlertDelivery, AlertEvent } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { GuardedPost } from '../../outbound/guarded-post.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import type { CredentialVault } from '../connections/credential-vault.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { isUuid } from '../uuid.ts';
import { newSigningSecret } from '../webhooks/signature.ts';
import { channelSchema, type AlertChannelInput, type GivenChannel } from './channel-input.ts';
import { pagerDutyUrls } from './formats/pagerduty.ts';
import type { ChannelTarget } from './sender.ts';

const MAX_CHANNELS = 20;
const HINT_LENGTH = 4;

export interface AlertChannelsDependencies {
  readonly database: Database;
  readonly vault: Pick<CredentialVault, 'seal'>;
  readonly post: Pick<GuardedPost, 'checkUrl'>;
  /** Sends stored deliveries. */
  readonly send: (accountId: string, deliveryIds: readonly string[]) => Promise<void>;
  /** Where PagerDuty receives events; its own addresses by default. */
  readonly pagerDuty?: Readonly<Record<keyof typeof pagerDutyUrls, string>>;
  readonly clock?: Clock;
}

/** Destinations of an account's alerts. Another account's channel is not found. Every method also throws SluiceError database_unavailable. */
export class AlertChannelsService {
  readonly #dependencies: AlertChannelsDependencies;
  readonly #clock: Clock;

  constructor(dependencies: AlertChannelsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** In the order of creation. */
  list(accountId: string): Promise<AlertChannel[]> {
    const orderBy = { createdAt: 'asc', id: 'asc' } as const;
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().find(AlertChannel, { account: accountId }, { orderBy }),
    );
  }

  /**
   * @returns the channel, and for a webhook the signing secret, which is returned only here
   * @throws SluiceError bad_user_input | outbound_refused | too_many_alert_channels
   */
  async create(accountId: string, input: AlertChannelInput): Promise<{ secret: string | null; channel: AlertChannel }> {
    const { name, kind, emails, ...given } = parseInput(channelSchema, input);
    const target = this.#targetOf({ kind, ...given });
    const { database, vault } = this.#dependencies;
    return mapDatabaseErrors(() =>
      database.em().transactional(async (em) => {
        const account = await lockAccount(em, accountId);
        if ((await em.count(AlertChannel, { account: accountId })) >= MAX_CHANNELS)
          throw new SluiceError('too_many_alert_channels', { values: { limit: MAX_CHANNELS } });
        const recipients = kind === 'email' ? [...new Set(emails)] : [];
        await this.#requireMembers(accountId, recipients, (text, values) => em.execute(text, values));
        const id = randomUUID();
        const channel = em.create(AlertChannel, {
          id,
          account,
          name,
          kind,
          hint: hintOf(target, recipients),
          recipients,
          sealedTarget: target && vault.seal(JSON.stringify(target), { accountId, rowId: id }),
          createdAt: new Date(),
        });
        await em.persist(channel).flush();
        return { secret: target?.signingSecret ?? null, channel };
      }),
    );
  }

  /** Removes it from its rules; pending notifications are not sent. @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    await mapDatabaseErrors(() =>
      this.#dependencies.database.em().transactional(async (em) => {
        const channel = isUuid(id) ? await em.findOne(AlertChannel, { id, account: accountId }) : null;
        if (channel === null) throw notFound();
        await em.execute(
          'update alert_rules set channel_ids = array_remove(channel_ids, ?::uuid) where account_id = ?',
          [id, accountId],
        );
        em.remove(channel);
      }),
    );
  }

  /** Stores a test notification for a channel; the history shows whether it was delivered. @throws SluiceError not_found */
  async test(accountId: string, id: string): Promise<AlertEvent> {
    const at = new Date(this.#clock.now());
    const { event, deliveryIds } = await mapDatabaseErrors(() =>
      this.#dependencies.database.em().transactional(async (em) => {
        const channel = isUuid(id)
          ? await em.findOne(AlertChannel, { id, account: accountId }, { populate: ['account'] })
          : null;
        if (channel === null) throw notFound();
        const eventId = randomUUID();
        const tested = em.create(AlertEvent, {
          id: eventId,
          account: channel.account,
          rule: null,
          ruleName: channel.name,
          kind: 'spend',
          transition: 'test',
          subject: '',
          label: '',
          summary: 'This is a test of an alert channel. Nothing needs to be done.',
          path: '/alerts',
          incidentId: eventId,
          createdAt: at,
        });
        const recipients = channel.kind === 'email' ? channel.recipients : [''];
        const deliveries = recipients.map((recipient) =>
          em.create(AlertDelivery, {
            event: tested,
            channel,
            channelName: channel.name,
            channelKind: channel.kind,
            recipient,
            retryAt: at,
          }),
        );
        await em.persist([tested, ...deliveries]).flush();
        return { event: tested, deliveryIds: deliveries.map((delivery) => delivery.id) };
      }),
    );
    await this.#dependencies.send(accountId, deliveryIds);
    return event;
  }

  #targetOf(given: Pick<GivenChannel, 'kind' | 'url' | 'routingKey' | 'region'>): ChannelTarget | null {
    const { post, pagerDuty = pagerDutyUrls } = this.#dependencies;
    const { kind, routingKey, region } = given;
    if (kind === 'email') return null;
    const url = kind === 'pagerduty' ? pagerDuty[region ?? 'us'] : (given.url ?? '');
    post.checkUrl(url, 'url');
    return {
      url,
      ...(kind === 'pagerduty' && routingKey != null && { routingKey }),
      ...(kind === 'webhook' && { signingSecret: newSigningSecret() }),
    };
  }

  async #requireMembers(
    accountId: string,
    emails: readonly string[],
    execute: (text: string, values: unknown[]) => Promise<unknown>,
  ): Promise<void> {
    for (const email of emails) {
      const rows = await execute(
        'select 1 as found from memberships join users on users.id = user_id where account_id = ? and email = ?',
        [accountId, email.replaceAll('\0', '')],
      );
      if (Array.isArray(rows) && rows.length > 0) continue;
      throw new SluiceError('bad_user_input', {
        param: 'emails',
        values: { reason: 'emails: each must be the address of a member of the account' },
      });
    }
  }
}

/** The host, and the end of what is secret. */
function hintOf(target: ChannelTarget | null, recipients: readonly string[]): string {
  if (target === null) return recipients.length === 1 ? '1 address' : `${recipients.length} addresses`;
  const { host } = new URL(target.url);
  return `${host}/…${(target.routingKey ?? target.url).slice(-HINT_LENGTH)}`;
}

function notFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'alert channel' } });
}
