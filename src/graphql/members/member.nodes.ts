import type { MembersService } from '../../services/members/members.service.ts';
import type { InvitationsService } from '../../services/members/invitations.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toInvitation, toMember } from './member.mapping.ts';

/** Members and invitations by their IDs. */
export function memberNodes(
  members: Pick<MembersService, 'byIds'>,
  invitations: Pick<InvitationsService, 'byIds'>,
): NodeLoaders {
  return {
    Member: async (context, ids) => {
      const { accountId } = await context.require('members.read');
      const found = await members.byIds(accountId, ids);
      return found.map((member) => withTypename('Member', toMember(member)));
    },
    Invitation: async (context, ids) => {
      const { accountId } = await context.require('members.read');
      const rows = await invitations.byIds(accountId, ids);
      return rows.map((row) => withTypename('Invitation', toInvitation(row)));
    },
  };
}
