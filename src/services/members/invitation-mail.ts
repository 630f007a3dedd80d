import type { MembershipRole } from '../../database/entities/index.ts';
import type { Mail } from '../../mail/mail.ts';

export interface InvitationText {
  readonly to: string;
  readonly role: MembershipRole;
  /** Their address; null where nobody in particular invites. */
  readonly inviter: string | null;
  readonly url: string;
  readonly expiresAt: Date;
}

const mayDo: Readonly<Record<MembershipRole, string>> = {
  owner: 'an owner, who may do everything',
  admin: 'an administrator, who manages members, keys and connections',
  developer: 'a developer, who makes API keys and runs completions',
  billing: 'a billing member, who sees what is spent and sets budgets',
  viewer: 'a viewer, who sees usage and settings',
};

/** Of fixed text alone, beside addresses: what accounts and people are called is chosen by who invites, and goes to strangers. */
export function invitationMail({ to, role, inviter, url, expiresAt }: InvitationText): Mail {
  const who = inviter === null ? 'You are invited' : `${inviter} invites you`;
  const day = expiresAt.toISOString().slice(0, 10);
  return {
    to,
    subject: 'Invitation to an account on Sluice',
    text: `${who} to join an account on Sluice as ${mayDo[role]}.

Accept, with this e-mail address:
${url}

The link works once, until ${day}. If you did not expect it, ignore this message: nothing happens then.
`,
  };
}
