import type { MailContent } from '../../../mail/mail-content.ts';

/** Changes that a user is notified of, so that they notice one that they did not make. */
export const notices = [
  'password-changed',
  'email-changing',
  'email-changed',
  'email-in-use',
  'identity-linked',
  'identity-unlinked',
  'totp-enabled',
  'totp-disabled',
  'recovery-codes-renewed',
  'recovery-code-used',
] as const;
export type Notice = (typeof notices)[number];

export function verificationMail(url: string): MailContent {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: ['Confirm this e-mail address to use it to sign in to Sluice.'],
    link: { label: 'Confirm address', url },
    footer: 'The link can be used once and expires in 24 hours. If you did not request this, ignore this message.',
  };
}

export function signUpMail(url: string): MailContent {
  return {
    subject: 'Finish signing up',
    paragraphs: ['Someone, probably you, signed up for Sluice with this e-mail address.'],
    link: { label: 'Finish signing up', url },
    footer:
      'The link can be used once and expires in 24 hours. If you did not sign up, ignore this message: no account is created. Never enter a password there that you did not choose yourself.',
  };
}

/** @param resetUrl the page that requests a password reset */
export function existingAccountMail(signInUrl: string, resetUrl: string): MailContent {
  return {
    subject: 'You already have an account',
    paragraphs: [
      'Someone, probably you, signed up for Sluice with this e-mail address. The address already has an account, so nothing was changed.',
      `If you forgot your password, reset it: ${resetUrl}`,
    ],
    link: { label: 'Sign in', url: signInUrl },
    footer: 'If you did not sign up, ignore this message.',
  };
}

/** @param effects which other access the reset keeps or removes, besides sessions */
export function passwordResetMail(url: string, effects: readonly string[]): MailContent {
  return {
    subject: 'Reset your password',
    paragraphs: ['Someone, probably you, requested a password reset for your Sluice user.', ...effects],
    link: { label: 'Reset password', url },
    footer:
      'The link can be used once and expires in 30 minutes. A new password signs you out everywhere else. If you did not request this, ignore this message: your password does not change.',
  };
}

const texts: Readonly<Record<Notice, readonly [subject: string, paragraph: string]>> = {
  'password-changed': [
    'Your password was changed',
    'The password of your Sluice user was changed, and all other sessions were signed out.',
  ],
  'email-changing': [
    'A change of your e-mail address was requested',
    'Someone signed in as you requested a different e-mail address. The change takes effect when that address is confirmed.',
  ],
  'email-changed': [
    'Your e-mail address was changed',
    'Your Sluice user now has a different e-mail address. You can no longer sign in with this one.',
  ],
  'email-in-use': [
    'You already have a Sluice user',
    'Someone requested this e-mail address for another Sluice user. It already belongs to yours, so nothing was changed.',
  ],
  'identity-linked': [
    'An identity provider was linked',
    'An identity provider was linked to your Sluice user. You can now sign in with it.',
  ],
  'identity-unlinked': [
    'An identity provider was unlinked',
    'An identity provider was unlinked from your Sluice user. You can no longer sign in with it.',
  ],
  'totp-enabled': [
    'Two-factor authentication was enabled',
    'An authenticator app was set up for your Sluice user. Store your recovery codes in a safe place.',
  ],
  'totp-disabled': [
    'Two-factor authentication was disabled',
    'The authenticator app was removed from your Sluice user. Your recovery codes no longer work.',
  ],
  'recovery-codes-renewed': [
    'Your recovery codes were replaced',
    'New recovery codes were created for your Sluice user. The previous codes no longer work.',
  ],
  'recovery-code-used': [
    'A recovery code was used',
    'One of your recovery codes was used to sign in to Sluice or to confirm a change. It cannot be used again.',
  ],
};

/** @param identities linked identity providers, by names that the user recognizes */
export function describeResetEffects(isVerified: boolean, identities: readonly string[]): string[] {
  if (!isVerified)
    return [
      'This address was never confirmed; the link confirms it. Everything that was added before is removed: linked identity providers and, in your accounts, API keys, open invitations, other members, provider connections, routes and webhooks.',
    ];
  if (identities.length === 0) return [];
  return [
    `You can still sign in without the password through: ${identities.join(', ')}. If one of them is not yours, unlink it under Settings.`,
  ];
}

/** @param url the settings page */
export function noticeMail(notice: Notice, url: string): MailContent {
  const [subject, paragraph] = texts[notice];
  return {
    subject,
    paragraphs: [paragraph],
    link: { label: 'Open settings', url },
    footer: 'If you did not do this, change your password immediately and revoke sessions that you do not recognize.',
  };
}
