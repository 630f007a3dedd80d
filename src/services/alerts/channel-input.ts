import { z } from 'zod';
import { alertChannelKinds } from '../../database/entities/index.ts';
import { routingKeyPattern } from './formats/pagerduty.ts';

const MAX_RECIPIENTS = 10;

const nameText = z.string().trim().min(1).max(100);
const routingKeyText = z.string().trim().regex(routingKeyPattern, 'must be 32 letters and digits');
const region = z.enum(['us', 'eu']);
/** Addresses of members. */
const addresses = z.array(z.string().trim().toLowerCase()).max(MAX_RECIPIENTS);

export const channelSchema = z
  .object({
    name: nameText,
    kind: z.enum(alertChannelKinds),
    url: z.string().nullish(),
    routingKey: routingKeyText.nullish(),
    region: region.nullish(),
    emails: addresses.nullish(),
  })
  .superRefine(({ kind, url, routingKey, emails }, context) => {
    const require = (path: string, isGiven: boolean): void => {
      if (!isGiven) context.addIssue({ code: 'custom', path: [path], message: 'is required for this kind' });
    };
    if (kind === 'email') require('emails', (emails ?? []).length > 0);
    else if (kind === 'pagerduty') require('routingKey', routingKey != null);
    else require('url', url != null && url !== '');
  });

export type AlertChannelInput = z.input<typeof channelSchema>;
export type GivenChannel = z.output<typeof channelSchema>;

/** Absent and null members are unchanged. */
export const channelChangeSchema = z.object({
  name: nameText.nullish(),
  url: z.string().min(1).nullish(),
  routingKey: routingKeyText.nullish(),
  region: region.nullish(),
  emails: addresses.min(1).nullish(),
  /** Replaces the signing secret of a webhook. */
  rotateSecret: z.boolean().nullish(),
});

export type AlertChannelChange = z.input<typeof channelChangeSchema>;
export type ChannelChange = z.output<typeof channelChangeSchema>;
