import { useRead } from '../../data/hooks.ts';
import { PermissionsDocument, type PermissionsQuery, type Role } from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { roles } from './role-texts.ts';

export type Permission = PermissionsQuery['permissions'][number];

export interface Powers {
  /** Whether the viewer may. False until it is known. */
  may(action: string): boolean;
  /** The roles that the viewer may give: nobody gives more than they have. */
  readonly givable: readonly Role[];
  readonly permissions: readonly Permission[];
}

/** What the viewer may do here, by the server's own table. */
export function usePowers(): Powers {
  const { role } = useViewer();
  const { data } = useRead(PermissionsDocument, {}, { policy: 'cache-first' });
  const permissions = data?.permissions ?? [];
  const has = (permission: Permission, of: Role): boolean => permission.roles.includes(of);
  return {
    permissions,
    may: (action) => permissions.some((each) => each.action === action && role != null && has(each, role)),
    givable: roles.filter(
      (each) =>
        role != null &&
        permissions.length > 0 &&
        permissions.every((permission) => !has(permission, each) || has(permission, role)),
    ),
  };
}
