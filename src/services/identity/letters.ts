import type { Letter } from '../../mail/letter.ts';

/** What a user is told of after the fact, so that a change that was not theirs is noticed. */
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

export function verificationLetter(url: string): Letter {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: ['Confirm that this address is yours, and it is what you sign in to Sluice with.'],
    link: { label: 'Confirm this address', url },
    ending: 'The link works once, for 24 hours. If you did not ask for this, do nothing: nothing will change.',
  };
}

export function signUpLetter(url: string): Letter {
  return {
    subject: 'Finish signing up',
    paragraphs: ['Somebody, most likely you, signed up at Sluice with this address.'],
    link: { label: 'Finish signing up', url },
    ending:
      'The link works once, for 24 hours. If you did not sign up, do nothing: no account is made. Never enter a password there that you did not choose yourself.',
  };
}

/** @param resetUrl where somebody who forgot their password sets another */
export function signUpKnownLetter(signInUrl: string, resetUrl: string): Letter {
  return {
    subject: 'You have an account already',
    paragraphs: [
      'Somebody, most likely you, signed up at Sluice with this address. It has an account already, so nothing was changed.',
      `If you forgot your password, set a new one: ${resetUrl}`,
    ],
    link: { label: 'Sign in', url: signInUrl },
    ending: 'If you did not sign up, do nothing.',
  };
}

/** @param stays what a new password leaves or ends beside the sessions */
export function resetLetter(url: string, stays: readonly string[]): Letter {
  return {
    subject: 'Set a new password',
    paragraphs: ['Somebody, most likely you, asked for a new password for your user at Sluice.', ...stays],
    link: { label: 'Set a new password', url },
    ending:
      'The link works once, for 30 minutes, and signs you out everywhere else. If you did not ask for this, do nothing: your password stays as it is.',
  };
}

const texts: Readonly<Record<Notice, readonly [subject: string, what: string]>> = {
  'password-changed': [
    'Your password was changed',
    'The password of your user at Sluice was changed, and all other sessions were ended.',
  ],
  'email-changing': [
    'Your e-mail address is about to change',
    'Somebody signed in as you asked Sluice to use another e-mail address. It takes effect when that address is confirmed.',
  ],
  'email-changed': [
    'Your e-mail address was changed',
    'Your user at Sluice has another e-mail address now. This one no longer signs you in.',
  ],
  'email-in-use': [
    'You have a user at Sluice already',
    'Somebody asked Sluice to use this address for another user. It is yours already, so nothing was changed.',
  ],
  'identity-linked': [
    'A new way to sign in was added',
    'An identity provider was linked to your user at Sluice: you can sign in with it from now on.',
  ],
  'identity-unlinked': ['A way to sign in was removed', 'An identity provider was unlinked from your user at Sluice.'],
  'totp-enabled': [
    'Signing in now asks for a code',
    'An authenticator app was set up for your user at Sluice. Keep your recovery codes in a safe place.',
  ],
  'totp-disabled': [
    'Signing in no longer asks for a code',
    'The authenticator app of your user at Sluice was removed. Your recovery codes no longer work.',
  ],
  'recovery-codes-renewed': [
    'You have new recovery codes',
    'New recovery codes were made for your user at Sluice. Those from before no longer work.',
  ],
  'recovery-code-used': [
    'A recovery code was used',
    'One of your recovery codes was taken in place of a code of your authenticator app. It does not work again.',
  ],
};

/** @param identities at providers, as their owner knows them */
export function whatResetLeaves(isVerified: boolean, identities: readonly string[]): string[] {
  if (!isVerified)
    return [
      'This address was never confirmed, and the link confirms it. What was added to your user before ends with it: linked identity providers, and in your accounts API keys, open invitations, other members, provider connections, routes and webhooks.',
    ];
  if (identities.length === 0) return [];
  return [
    `These identity providers go on to sign you in without the password: ${identities.join(', ')}. Unlink under Settings what is not yours.`,
  ];
}

/** @param url where they sign in */
export function noticeLetter(notice: Notice, url: string): Letter {
  const [subject, what] = texts[notice];
  return {
    subject,
    paragraphs: [what],
    link: { label: 'Look at your settings', url },
    ending: 'If this was not you, set a new password at once, and end the sessions that are not yours.',
  };
}
