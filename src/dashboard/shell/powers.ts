import type { Role, ViewerQuery } from '../generated/graphql.ts';
import { useViewerQuery } from './viewer.ts';

export type Permission = ViewerQuery['permissions'][number];

export interface Powers {
  /** Whether the viewer's role has the permission. */
  may(action: string): boolean;
  /** The roles that have the permission, as text: “owners and admins”. */
  whoMay(action: string): string;
  /** The roles that the viewer can assign: none with more permissions than their own. */
  readonly givable: readonly Role[];
  readonly permissions: readonly Permission[];
}

export const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];
const listed = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The viewer's permissions, from the server's table. */
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
