import type { MembershipRole } from '../../database/entities/index.ts';
import type { Mail } from '../../mail/mail.ts';

export interface InvitationText {
  readonly to: string;
  readonly role: MembershipRole;
  /** Their address; null where the inviter is not a user. */
  readonly inviter: string | null;
  readonly url: string;
  readonly expiresAt: Date;
}

const roleDescriptions: Readonly<Record<MembershipRole, string>> = {
  owner: 'an owner, with full access',
  admin: 'an administrator, who manages members, keys and connections',
  developer: 'a developer, who creates API keys and runs completions',
  billing: 'a billing member, who views spending and sets budgets',
  viewer: 'a viewer, with read access to usage and settings',
};

/** Contains fixed text and addresses only: names are chosen by the inviter, and the message goes to strangers. */
export function invitationMail({ to, role, inviter, url, expiresAt }: InvitationText): Mail {
  const who = inviter === null ? 'You are invited' : `${inviter} invites you`;
  const day = expiresAt.toISOString().slice(0, 10);
  return {
    to,
    subject: 'Invitation to an account on Sluice',
    text: `${who} to join an account on Sluice as ${roleDescriptions[role]}.

Accept the invitation with this e-mail address:
${url}

The link can be used once and expires on ${day}. If you did not expect this invitation, ignore this message.
`,
  };
}
