import type { AuditEntry as AuditEntryEntity, ActorKind, User as UserEntity } from '../../database/entities/index.ts';
import { shownChanges } from '../../services/audit/audit-log.ts';
import { toGlobalId, type NodeType } from '../relay/global-id.ts';
import { AuditActorKind, type AuditEntry } from './audit.types.ts';

const nodeTypes: Readonly<Record<string, NodeType>> = {
  account: 'Account',
  alert_channel: 'AlertChannel',
  saved_view: 'SavedView',
  alert_rule: 'AlertRule',
  api_key: 'ApiKey',
  budget: 'Budget',
  comparison: 'Comparison',
  invitation: 'Invitation',
  invoice: 'Invoice',
  linked_identity: 'LinkedIdentity',
  member: 'Member',
  provider_connection: 'ProviderCredential',
  route: 'Route',
  session: 'UserSession',
  user: 'User',
  webhook: 'Webhook',
};

const kinds: Readonly<Record<ActorKind, AuditActorKind>> = {
  user: AuditActorKind.USER,
  api_key: AuditActorKind.API_KEY,
  cli: AuditActorKind.CLI,
  job: AuditActorKind.JOB,
  server: AuditActorKind.SERVER,
  anonymous: AuditActorKind.ANONYMOUS,
};

/** @param users by id; must contain the actor if it is a user */
export function toAuditEntry(row: AuditEntryEntity, users: ReadonlyMap<string, UserEntity>): AuditEntry {
  const { createdAt, action, actorLabel, actorApiKeyId, address, userAgent, requestId } = row;
  const node = nodeTypes[row.targetType];
  const targetId = node === undefined || row.targetId === null ? null : toGlobalId(node, row.targetId);
  return {
    id: toGlobalId('AuditEntry', row.id),
    createdAt,
    action,
    actorKind: kinds[row.actorKind],
    actorLabel,
    actorUser: (row.actorUserId !== null && users.get(row.actorUserId)) || null,
    actorApiKeyId,
    target: { type: row.targetType, id: targetId, label: row.targetLabel },
    changes: shownChanges(row),
    address,
    userAgent,
    requestId,
  };
}
