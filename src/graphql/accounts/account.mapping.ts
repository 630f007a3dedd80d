import type { Account as AccountEntity, MembershipRole, User as UserEntity } from '../../database/entities/index.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { Role, type Account, type AccountMembership, type User } from './account.types.ts';

export function toAccount(row: AccountEntity): Account {
  const { id, name, timeZone, zeroRetention, isOperator, createdAt, erasedAfter } = row;
  return { id: toGlobalId('Account', id), name, timeZone, zeroRetention, isOperator, createdAt, erasedAfter, row };
}

export function toUser({ id, email, name }: Pick<UserEntity, 'id' | 'email' | 'name'>): User {
  return { id: toGlobalId('User', id), email, name };
}

export function toMembership(each: {
  readonly accountId: string;
  readonly accountName: string;
  readonly role: MembershipRole;
  readonly erasedAfter: Date | null;
}): AccountMembership {
  const { accountId, accountName, role, erasedAfter } = each;
  return { accountId: toGlobalId('Account', accountId), accountName, role: toRole(role), erasedAfter };
}

const roles: Readonly<Record<MembershipRole, Role>> = {
  owner: Role.OWNER,
  admin: Role.ADMIN,
  developer: Role.DEVELOPER,
  billing: Role.BILLING,
  viewer: Role.VIEWER,
};

export function toRole(role: MembershipRole): Role {
  return roles[role];
}
