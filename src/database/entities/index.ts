import { Account } from './account.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import { Blob } from './blob.entity.ts';
import { Membership } from './membership.entity.ts';
import { Session } from './session.entity.ts';
import { UsageLog } from './usage-log.entity.ts';
import { User } from './user.entity.ts';

export { Account } from './account.entity.ts';
export { ApiKey, apiKeyKinds, type ApiKeyBudget, type ApiKeyKind, type ApiKeyLimits } from './api-key.entity.ts';
export { Blob } from './blob.entity.ts';
export { Membership, membershipRoles, type MembershipRole } from './membership.entity.ts';
export { Session } from './session.entity.ts';
export { UsageLog } from './usage-log.entity.ts';
export { User } from './user.entity.ts';

export const entities = [Account, ApiKey, Blob, Membership, Session, UsageLog, User];
