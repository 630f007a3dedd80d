import { z } from 'zod';
import { alertChannelKinds } from '../../database/entities/index.ts';
import { routingKeyPattern } from './formats/pagerduty.ts';

const MAX_RECIPIENTS = 10;

export const channelSchema = z
  .object({
    name: z.string().trim().min(1).max(100),
    kind: z.enum(alertChannelKinds),
    url: z.string().nullish(),
    routingKey: z.string().trim().regex(routingKeyPattern, 'must be 32 letters and digits').nullish(),
    region: z.enum(['us', 'eu']).nullish(),
    /** Addresses of members. */
    emails: z.array(z.string().trim().toLowerCase()).max(MAX_RECIPIENTS).nullish(),
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
