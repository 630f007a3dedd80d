import { useMemo } from 'react';
import { MemberNamesDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useQuery } from '../graphql/hooks.ts';

/** The number of users that the server finds at once. */
const MAX_USERS = 100;

/** The names of members by user ID. Former members have none. */
export function useMemberNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { can } = usePermissions();
  const users = ids.slice(0, MAX_USERS);
  const { data } = useQuery(MemberNamesDocument, { users }, { pause: users.length === 0 || !can('members.read') });
  return useMemo(
    () => new Map(data?.account.members.nodes.map(({ user }) => [user.id, user.name || user.email])),
    [data],
  );
}
