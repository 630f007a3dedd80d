import type { LinkedIdentity as LinkedIdentityRow, Session as SessionRow } from '../../database/entities/index.ts';
import type { Profile } from '../../services/identity/profile.service.ts';
import { User } from '../accounts/account.types.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { LinkedIdentity, UserSession } from './identity.types.ts';

export function toUser({ id, email, name }: Profile): User {
  return Object.assign(new User(), { id: toGlobalId('User', id), email, name });
}

/** @param providers as configured now; for a provider that was removed, its id is the name */
export function toLinkedIdentity(
  { id, provider, email, createdAt, lastUsedAt }: LinkedIdentityRow,
  providers: readonly { readonly id: string; readonly name: string }[],
): LinkedIdentity {
  const providerName = providers.find((each) => each.id === provider)?.name ?? provider;
  return { id: toGlobalId('LinkedIdentity', id), provider, providerName, email, createdAt, lastUsedAt };
}

export function toUserSession(row: SessionRow, currentId: string): UserSession {
  const { id, createdAt, lastSeenAt, address, userAgent } = row;
  return { id: toGlobalId('UserSession', id), createdAt, lastSeenAt, address, userAgent, current: id === currentId };
}
