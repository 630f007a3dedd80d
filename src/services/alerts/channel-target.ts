import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import { newSigningSecret } from '../webhooks/signature.ts';
import type { ChannelChange, GivenChannel } from './channel-input.ts';
import type { pagerDutyUrls } from './formats/pagerduty.ts';

const HINT_LENGTH = 4;

/** The encrypted part of a channel. */
export const channelTarget = z.strictObject({
  url: z.string(),
  /** Of PagerDuty. */
  routingKey: z.string().optional(),
  /** Of a webhook. */
  signingSecret: z.string().optional(),
});
export type ChannelTarget = z.infer<typeof channelTarget>;
type Kind = GivenChannel['kind'];
type PagerDutyUrls = Readonly<Record<keyof typeof pagerDutyUrls, string>>;

/** Null for e-mail. The caller checks the URL. */
export function newTarget(
  { kind, url, routingKey, region }: Pick<GivenChannel, 'kind' | 'url' | 'routingKey' | 'region'>,
  pagerDuty: PagerDutyUrls,
): ChannelTarget | null {
  if (kind === 'email') return null;
  return {
    url: kind === 'pagerduty' ? pagerDuty[region ?? 'us'] : (url ?? ''),
    ...(kind === 'pagerduty' && routingKey != null && { routingKey }),
    ...(kind === 'webhook' && { signingSecret: newSigningSecret() }),
  };
}

export function changesTarget({ url, routingKey, region, rotateSecret }: ChannelChange): boolean {
  return url != null || routingKey != null || region != null || rotateSecret === true;
}

/** The caller checks the URL. */
export function changedTarget(
  target: ChannelTarget,
  { url, routingKey, region, rotateSecret }: ChannelChange,
  pagerDuty: PagerDutyUrls,
): ChannelTarget {
  const given = region == null ? url : pagerDuty[region];
  return {
    ...target,
    ...(given != null && { url: given }),
    ...(routingKey != null && { routingKey }),
    ...(rotateSecret === true && { signingSecret: newSigningSecret() }),
  };
}

/** @throws SluiceError bad_user_input for a member that this kind does not have */
export function requireApplicable(kind: Kind, change: ChannelChange): void {
  const kinds: readonly (readonly [keyof ChannelChange, readonly Kind[]])[] = [
    ['url', ['webhook', 'slack', 'teams']],
    ['routingKey', ['pagerduty']],
    ['region', ['pagerduty']],
    ['emails', ['email']],
    ['rotateSecret', ['webhook']],
  ];
  for (const [param, having] of kinds) {
    if (change[param] == null || change[param] === false || having.includes(kind)) continue;
    throw new SluiceError('bad_user_input', {
      param,
      values: { reason: `${param}: channels of this type do not have it` },
    });
  }
}

/** The host, and the end of what is secret. */
export function hintOf(target: ChannelTarget | null, recipients: readonly string[]): string {
  if (target === null) return recipients.length === 1 ? '1 address' : `${recipients.length} addresses`;
  const { host } = new URL(target.url);
  return `${host}/…${(target.routingKey ?? target.url).slice(-HINT_LENGTH)}`;
}
