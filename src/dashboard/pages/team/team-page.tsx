import { useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages } from '../../data/graphql/pages.ts';
import { Button } from '../../design/button.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { InvitationsDocument, MembersDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite.tsx';
import { Members } from './members.tsx';
import { RolesTable } from './roles-table.tsx';

const PAGE_SIZE = 100;

export function TeamPage(): ReactNode {
  const { invite } = useSearch({ from: '/shell/team' });
  const navigate = useNavigate({ from: '/team' });
  const permissions = usePermissions();
  const members = usePages(MembersDocument, { first: PAGE_SIZE }, ({ account }) => account.members);
  const invitations = usePages(InvitationsDocument, { first: PAGE_SIZE }, ({ account }) => account.invitations);
  const canWrite = permissions.can('members.write');
  const refresh = (): void => {
    members.refetch();
    invitations.refetch();
  };
  return (
    <Page
      title="Team"
      lead="Members of this account and their permissions."
      actions={
        canWrite ? (
          <Button
            variant="primary"
            icon={<UserPlus size={16} aria-hidden />}
            onClick={() => void navigate({ search: { invite: true } })}
          >
            Invite member
          </Button>
        ) : null
      }
    >
      <Section title="Members">
        {members.failure ? <Failed failure={members.failure} onRetry={members.refetch} /> : null}
        {members.nodes === null && !members.failure ? <SkeletonRows rows={4} /> : null}
        {members.nodes ? <Members members={members.nodes} permissions={permissions} onChanged={refresh} /> : null}
        {members.hasMore ? (
          <div>
            <Button onClick={members.fetchMore}>Show more</Button>
          </div>
        ) : null}
      </Section>
      <Section title="Invitations">
        {invitations.failure ? <Failed failure={invitations.failure} onRetry={invitations.refetch} /> : null}
        {invitations.nodes ? (
          <Invitations invitations={invitations.nodes} permissions={permissions} onChanged={invitations.refetch} />
        ) : null}
        {invitations.hasMore ? (
          <div>
            <Button onClick={invitations.fetchMore}>Show more</Button>
          </div>
        ) : null}
      </Section>
      <RolesTable permissions={permissions.table} />
      {invite && canWrite ? (
        <InviteDialog
          assignableRoles={permissions.assignableRoles}
          onClose={() => void navigate({ search: {} })}
          onInvited={invitations.refetch}
        />
      ) : null}
    </Page>
  );
}
