import type { Role, ViewerQuery } from '../generated/graphql.ts';
import { useViewerQuery } from './viewer.ts';

export type Permission = ViewerQuery['permissions'][number];

export interface Permissions {
  /** Whether the viewer's role has the permission. */
  can(action: string): boolean;
  /** The roles that have the permission, as text: “owners and admins”. */
  rolesAllowedTo(action: string): string;
  /** The roles that the viewer can assign: none with more permissions than their own. */
  readonly assignableRoles: readonly Role[];
  /** The permissions of all roles. */
  readonly table: readonly Permission[];
}

export const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];
const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The viewer's permissions, from the server's table. */
export function usePermissions(): Permissions {
  const {
    viewer: { role },
    permissions: table,
  } = useViewerQuery();
  const rolesOf = (action: string): readonly Role[] =>
    table.find((permission) => permission.action === action)?.roles ?? [];
  return {
    table,
    can: (action) => role !== null && rolesOf(action).includes(role),
    rolesAllowedTo: (action) => listFormat.format(roles.filter((each) => rolesOf(action).includes(each)).map(pluralOf)),
    assignableRoles: roles.filter(
      (each) =>
        role !== null &&
        table.every((permission) => !permission.roles.includes(each) || permission.roles.includes(role)),
    ),
  };
}

function pluralOf(role: Role): string {
  return role === 'BILLING' ? 'billing members' : `${role.toLowerCase()}s`;
}
