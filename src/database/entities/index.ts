import { Account } from './account.entity.ts';
import { AccountRoute } from './account-route.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import { Blob } from './blob.entity.ts';
import { ConnectedAccount } from './connected-account.entity.ts';
import { Membership } from './membership.entity.ts';
import { ProviderConnection } from './provider-connection.entity.ts';
import { Session } from './session.entity.ts';
import { UsageLog } from './usage-log.entity.ts';
import { User } from './user.entity.ts';
import { Video } from './video.entity.ts';
import { Webhook } from './webhook.entity.ts';

export { Account } from './account.entity.ts';
export { AccountRoute, type AccountRouteRules } from './account-route.entity.ts';
export { ApiKey, apiKeyKinds, type ApiKeyBudget, type ApiKeyKind, type ApiKeyLimits } from './api-key.entity.ts';
export { Blob } from './blob.entity.ts';
export { ConnectedAccount } from './connected-account.entity.ts';
export { Membership, membershipRoles, type MembershipRole } from './membership.entity.ts';
export { ProviderConnection } from './provider-connection.entity.ts';
export { Session } from './session.entity.ts';
export { UsageLog } from './usage-log.entity.ts';
export { User } from './user.entity.ts';
export { Video, videoStatuses, type VideoStatus } from './video.entity.ts';
export { Webhook } from './webhook.entity.ts';

export const entities = [
  Account,
  AccountRoute,
  ApiKey,
  Blob,
  ConnectedAccount,
  Membership,
  ProviderConnection,
  Session,
  UsageLog,
  User,
  Video,
  Webhook,
];
