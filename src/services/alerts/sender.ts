import { systemClock, unixSeconds, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Mailer } from '../../mail/mail.ts';
import { PostFailure, type GuardedPost } from '../../outbound/guarded-post.ts';
import type { CredentialVault } from '../connections/credential-vault.ts';
import { signatureHeaders } from '../webhooks/signature.ts';
import { channelTarget, type ChannelTarget } from './channel-target.ts';
import type { Notification } from './notification.ts';
import { alertMail } from './formats/mail.ts';
import { messageOf, type AlertMessage } from './formats/message.ts';
import { pagerDutyBody } from './formats/pagerduty.ts';
import { slackBody } from './formats/slack.ts';
import { teamsBody } from './formats/teams.ts';
import { webhookBody, webhookEventId } from './formats/webhook.ts';

const HTTP_GONE = 410;
const HTTP_BAD_REQUEST = 400;

/** The outcome of sending a notification once. */
export interface Attempt {
  /** HTTP status; null without a response, and for e-mail. */
  readonly status: number | null;
  /** Null if it was accepted. Contains nothing from the response and nothing of the URL. */
  readonly failure: string | null;
  /** Whether it is not retried. */
  readonly isFinal: boolean;
}

export interface AlertSenderDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly vault: Pick<CredentialVault, 'open'>;
  readonly post: Pick<GuardedPost, 'post'>;
  readonly mailer: Pick<Mailer, 'send'>;
  /** Current public origin of this server. */
  readonly publicUrl: () => string;
  /** An object's id for clients. */
  readonly publicId: (type: 'AlertRule' | 'Alert', id: string) => string;
  readonly clock?: Clock;
}

/** Sends a notification in the format of its channel. */
export class AlertSender {
  readonly #dependencies: AlertSenderDependencies;
  readonly #clock: Clock;

  constructor(dependencies: AlertSenderDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  async send(notification: Notification): Promise<Attempt> {
    const message = messageOf(notification, this.#dependencies.publicUrl());
    if (notification.channel.kind === 'email') return this.#mail(notification, message);
    const { accountId, channel } = notification;
    if (channel.sealedTarget === null) return { status: null, failure: 'the channel has no URL', isFinal: true };
    const opened = this.#dependencies.vault.open(channel.sealedTarget, { accountId, rowId: channel.id });
    return this.#post(notification, message, channelTarget.parse(JSON.parse(opened)));
  }

  async #post(notification: Notification, message: AlertMessage, target: ChannelTarget): Promise<Attempt> {
    const { kind } = notification.channel;
    const body = JSON.stringify(this.#bodyOf(notification, message, target));
    const headers = { 'content-type': 'application/json', 'user-agent': 'sluice-alerts/1' };
    try {
      const signed = this.#signatureOf(notification, target, body);
      const status = await this.#dependencies.post.post(target.url, { ...headers, ...signed }, body);
      const isAccepted = status >= 200 && status < 300;
      const isFinal = status === HTTP_GONE || (status === HTTP_BAD_REQUEST && kind !== 'webhook');
      return { status, failure: isAccepted ? null : `it returned status ${status}`, isFinal };
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error;
      return { status: null, failure: error.message, isFinal: false };
    }
  }

  #bodyOf(notification: Notification, message: AlertMessage, { routingKey = '' }: ChannelTarget): object {
    switch (notification.channel.kind) {
      case 'slack':
        return slackBody(message);
      case 'teams':
        return teamsBody(message);
      case 'pagerduty':
        return pagerDutyBody(notification, message, routingKey);
      case 'webhook':
      case 'email':
        return webhookBody(notification, message, this.#dependencies.publicId);
    }
  }

  #signatureOf({ event }: Notification, { signingSecret }: ChannelTarget, body: string): Record<string, string> {
    if (signingSecret === undefined) return {};
    return signatureHeaders(signingSecret, { id: webhookEventId(event.id), timestamp: unixSeconds(this.#clock), body });
  }

  /** Only to members: an address of anyone else could not consent. */
  async #mail(notification: Notification, message: AlertMessage): Promise<Attempt> {
    const { database, mailer } = this.#dependencies;
    const members = await database.query(
      'select from memberships join users on users.id = user_id where account_id = $1 and email = $2',
      [notification.accountId, notification.recipient],
    );
    if (members.length === 0)
      return { status: null, failure: 'the address is no longer that of a member', isFinal: true };
    await mailer.send(alertMail(notification, message));
    return { status: null, failure: null, isFinal: true };
  }
}
