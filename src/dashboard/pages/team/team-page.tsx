import { useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages } from '../../data/graphql/pages.ts';
import { Button } from '../../design/button.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { InvitationsDocument, MembersDocument } from '../../generated/graphql.ts';
import { usePowers } from '../../shell/powers.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite.tsx';
import { Members } from './members.tsx';
import { RolesTable } from './roles-table.tsx';

const PAGE = 100;

export function TeamPage(): ReactNode {
  const { invite } = useSearch({ from: '/signed/team' });
  const navigate = useNavigate({ from: '/team' });
  const powers = usePowers();
  const members = usePages(MembersDocument, { first: PAGE }, ({ account }) => account.members);
  const invitations = usePages(InvitationsDocument, { first: PAGE }, ({ account }) => account.invitations);
  const mayWrite = powers.may('members.write');
  const refresh = (): void => {
    members.again();
    invitations.again();
  };
  return (
    <Page
      title="Team"
      lead="Members of this account and their permissions."
      actions={
        mayWrite ? (
          <Button
            look="primary"
            icon={<UserPlus size={16} aria-hidden />}
            onClick={() => void navigate({ search: { invite: true } })}
          >
            Invite member
          </Button>
        ) : null
      }
    >
      <Section title="Members">
        {members.failure ? <Failed failure={members.failure} again={members.again} /> : null}
        {members.nodes === null && !members.failure ? <SkeletonRows rows={4} /> : null}
        {members.nodes ? <Members members={members.nodes} powers={powers} onChanged={refresh} /> : null}
        {members.hasMore ? (
          <div>
            <Button onClick={members.more}>Show more</Button>
          </div>
        ) : null}
      </Section>
      <Section title="Invitations">
        {invitations.failure ? <Failed failure={invitations.failure} again={invitations.again} /> : null}
        {invitations.nodes ? (
          <Invitations invitations={invitations.nodes} powers={powers} onChanged={invitations.again} />
        ) : null}
        {invitations.hasMore ? (
          <div>
            <Button onClick={invitations.more}>Show more</Button>
          </div>
        ) : null}
      </Section>
      <RolesTable permissions={powers.permissions} />
      {invite && mayWrite ? (
        <InviteDialog
          givable={powers.givable}
          onClose={() => void navigate({ search: {} })}
          onInvited={invitations.again}
        />
      ) : null}
    </Page>
  );
}
