import type { MembershipRole } from '../../database/entities/index.ts';
import type { Mail } from '../../mail/mail.ts';

export interface InvitationText {
  readonly to: string;
  readonly accountName: string;
  readonly role: MembershipRole;
  /** Null where nobody in particular invites. */
  readonly inviter: { readonly name: string; readonly email: string } | null;
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

export function invitationMail({ to, accountName, role, inviter, url, expiresAt }: InvitationText): Mail {
  const name = oneLine(accountName);
  const who = inviter === null ? 'You are invited' : `${oneLine(inviter.name)} (${inviter.email}) invites you`;
  const day = expiresAt.toISOString().slice(0, 10);
  return {
    to,
    subject: `Invitation to ${name}`,
    text: `${who} to join ${name} on Sluice as ${mayDo[role]}.

Accept, with this e-mail address:
${url}

The link works once, until ${day}. If you did not expect it, ignore this message: nothing happens then.
`,
  };
}

/** What people name things must not look like more of the message than it is. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 100);
}
