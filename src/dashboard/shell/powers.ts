import type { Role, ViewerQuery } from '../generated/graphql.ts';
import { useViewerQuery } from './viewer.ts';

export type Permission = ViewerQuery['permissions'][number];

export interface Powers {
  /** Whether the viewer's role allows it. */
  may(action: string): boolean;
  /** Whose role does, in words: “owners and admins”. */
  whoMay(action: string): string;
  /** The roles that the viewer may give: nobody gives more than they have. */
  readonly givable: readonly Role[];
  readonly permissions: readonly Permission[];
}

export const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];
const listed = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** What the viewer may do here, by the server's own table: the only place that knows. */
export function usePowers(): Powers {
  const {
    viewer: { role },
    permissions,
  } = useViewerQuery();
  const rolesOf = (action: string): readonly Role[] =>
    permissions.find((permission) => permission.action === action)?.roles ?? [];
  return {
    permissions,
    may: (action) => role !== null && rolesOf(action).includes(role),
    whoMay: (action) => listed.format(roles.filter((each) => rolesOf(action).includes(each)).map(membersWith)),
    givable: roles.filter(
      (each) =>
        role !== null &&
        permissions.every((permission) => !permission.roles.includes(each) || permission.roles.includes(role)),
    ),
  };
}

function membersWith(role: Role): string {
  return role === 'BILLING' ? 'billing members' : `${role.toLowerCase()}s`;
}
