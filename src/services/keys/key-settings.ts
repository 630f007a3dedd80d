import type { z } from 'zod';
import type { ApiKey, MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { keyChangeSchema, NewKey } from './key-input.ts';
import { ownLimits } from './own-limits.ts';

/**
 * The role of a new key with the `manage` scope, by default `developer`. Null without it.
 * @throws SluiceError bad_user_input
 */
export function roleOf({ scopes = [], role }: Pick<NewKey, 'scopes' | 'role'>): MembershipRole | null {
  if (scopes.includes('manage')) return role ?? 'developer';
  if (role === null || role === undefined) return null;
  throw new SluiceError('bad_user_input', {
    param: 'role',
    values: { reason: 'role: only a key with the scope `manage` has a role' },
  });
}

/** Absent members are unchanged. */
export function applyChange(change: z.output<typeof keyChangeSchema>, key: ApiKey): void {
  if (change.name) key.name = change.name;
  if (change.allowedModels !== undefined) key.allowedModels = change.allowedModels;
  if (change.modelAliases !== undefined) key.modelAliases = orNull(change.modelAliases);
  if (change.expiresAt !== undefined && change.expiresAt?.getTime() !== key.expiresAt?.getTime()) {
    key.expiresAt = change.expiresAt;
    key.expiryToldDays = null;
  }
  if (change.limits !== undefined) key.limits = ownLimits(change.limits);
  if (change.liveContent !== undefined && change.liveContent !== null) key.liveContent = change.liveContent;
  if (change.contentLevel !== undefined) key.contentLevel = change.contentLevel;
  if (change.contentMayRaise !== undefined && change.contentMayRaise !== null)
    key.contentMayRaise = change.contentMayRaise;
  if (change.responseCacheSeconds !== undefined) key.responseCacheSeconds = change.responseCacheSeconds;
  if (change.moderation !== undefined) key.moderation = change.moderation;
}

/** No aliases are stored as null. */
export function orNull<Item>(items: readonly Item[] | null | undefined): Item[] | null {
  return items && items.length > 0 ? [...items] : null;
}
