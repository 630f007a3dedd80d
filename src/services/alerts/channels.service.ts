import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { AlertChannel, AlertDelivery, AlertEvent } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { GuardedPost } from '../../outbound/guarded-post.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { UnsealError, type CredentialVault } from '../connections/credential-vault.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { isUuid } from '../uuid.ts';
import {
  channelChangeSchema,
  channelSchema,
  type AlertChannelChange,
  type AlertChannelInput,
  type ChannelChange,
} from './channel-input.ts';
import {
  changedTarget,
  changesTarget,
  channelTarget,
  hintOf,
  newTarget,
  requireApplicable,
  type ChannelTarget,
} from './channel-target.ts';
import { pagerDutyUrls } from './formats/pagerduty.ts';

const MAX_CHANNELS = 20;

export interface AlertChannelsDependencies {
  readonly database: Database;
  readonly vault: Pick<CredentialVault, 'seal' | 'open'>;
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
    const { database, post } = this.#dependencies;
    const target = newTarget({ kind, ...given }, this.#pagerDuty);
    if (target !== null) post.checkUrl(target.url, 'url');
    return mapDatabaseErrors(() =>
      database.em().transactional(async (em) => {
        const account = await lockAccount(em, accountId);
        if ((await em.count(AlertChannel, { account: accountId })) >= MAX_CHANNELS)
          throw new SluiceError('too_many_alert_channels', { values: { limit: MAX_CHANNELS } });
        const recipients = kind === 'email' ? [...new Set(emails)] : [];
        await requireMembers(em, accountId, recipients);
        const id = randomUUID();
        const channel = em.create(AlertChannel, {
          id,
          account,
          name,
          kind,
          hint: hintOf(target, recipients),
          recipients,
          sealedTarget: target && this.#sealed(target, accountId, id),
          createdAt: new Date(),
        });
        await em.persist(channel).flush();
        return { secret: target?.signingSecret ?? null, channel };
      }),
    );
  }

  /**
   * Absent members are unchanged; the type of a channel cannot change. Notifications that are not delivered yet are sent to the
   * new URL or with the new key.
   * @returns the channel, and the signing secret if it is a new one, which is returned only here
   * @throws SluiceError bad_user_input | not_found | outbound_refused
   */
  async update(
    accountId: string,
    id: string,
    input: AlertChannelChange,
  ): Promise<{ secret: string | null; channel: AlertChannel }> {
    const change = parseInput(channelChangeSchema, input);
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().transactional(async (em) => {
        const where = { id, account: accountId };
        const channel = isUuid(id)
          ? await em.findOne(AlertChannel, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
          : null;
        if (channel === null) throw notFound();
        requireApplicable(channel.kind, change);
        const recipients = change.emails == null ? channel.recipients : [...new Set(change.emails)];
        if (change.emails != null) await requireMembers(em, accountId, recipients);
        em.assign(channel, { name: change.name ?? channel.name, recipients });
        if (channel.kind === 'email') channel.hint = hintOf(null, recipients);
        // Encrypted again only if it changed: the audit log records that the bytes did.
        const changed = changesTarget(change) ? this.#changed(channel, accountId, change) : null;
        if (changed === null) return { secret: null, channel };
        this.#dependencies.post.checkUrl(changed.target.url, 'url');
        channel.hint = hintOf(changed.target, recipients);
        channel.sealedTarget = this.#sealed(changed.target, accountId, id);
        const isSecretNew = change.rotateSecret === true || changed.isReplaced;
        return { secret: isSecretNew ? (changed.target.signingSecret ?? null) : null, channel };
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

  get #pagerDuty(): Readonly<Record<keyof typeof pagerDutyUrls, string>> {
    return this.#dependencies.pagerDuty ?? pagerDutyUrls;
  }

  #sealed(target: ChannelTarget, accountId: string, rowId: string): Buffer {
    return this.#dependencies.vault.seal(JSON.stringify(target), { accountId, rowId });
  }

  /**
   * `isReplaced`: the stored target was encrypted under another secret, and a whole new one is given.
   * @throws SluiceError bad_user_input if it was, and only a part is given
   */
  #changed(
    { id: rowId, kind, sealedTarget }: AlertChannel,
    accountId: string,
    change: ChannelChange,
  ): { readonly target: ChannelTarget; readonly isReplaced: boolean } | null {
    if (sealedTarget === null) return null;
    try {
      const target = channelTarget.parse(JSON.parse(this.#dependencies.vault.open(sealedTarget, { accountId, rowId })));
      return { target: changedTarget(target, change, this.#pagerDuty), isReplaced: false };
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      const param = kind === 'pagerduty' ? 'routingKey' : 'url';
      const target = change[param] == null ? null : newTarget({ ...change, kind }, this.#pagerDuty);
      if (target !== null) return { target, isReplaced: true };
      const reason = `${param}: what is stored can no longer be read. Enter it again.`;
      throw new SluiceError('bad_user_input', { param, values: { reason } });
    }
  }
}

async function requireMembers(em: EntityManager, accountId: string, emails: readonly string[]): Promise<void> {
  for (const email of emails) {
    const rows: unknown = await em.execute(
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

function notFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'alert channel' } });
}
