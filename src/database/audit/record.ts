import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/core';
import { systemClock } from '../../calendar/clock.ts';
import { AuditEntry, type AuditChange } from '../entities/audit-entry.entity.ts';
import type { SqlClient } from '../sql.ts';
import { currentAuditContext, type AuditContext } from './audit-context.ts';

/** An event for the audit log. */
export interface AuditEvent {
  /** Null if the event concerns no account. */
  readonly accountId: string | null;
  /** For example `account.exported`. */
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string | null; readonly label: string | null };
  readonly changes?: readonly AuditChange[];
}

/** Adds an entry to the caller's unit of work: it is stored with the change that it describes, or not at all. */
export function recordAudit(em: Pick<EntityManager, 'create' | 'persist'>, event: AuditEvent): void {
  em.persist(buildEntry(em, event));
}

export function buildEntry(
  em: Pick<EntityManager, 'create'>,
  event: AuditEvent,
  by: AuditContext = currentAuditContext(),
): AuditEntry {
  const { accountId, action, target, changes = [] } = event;
  const { actor, address, userAgent, requestId } = by;
  const now = systemClock.now();
  return em.create(
    AuditEntry,
    {
      id: nextId(now),
      createdAt: new Date(now),
      accountId,
      action,
      actorKind: actor.kind,
      actorUserId: actor.userId,
      actorApiKeyId: actor.apiKeyId,
      actorLabel: actor.label,
      targetType: target.type,
      targetId: target.id,
      targetLabel: target.label,
      changes,
      address,
      userAgent,
      requestId,
    },
    { persist: false },
  );
}

/** As `recordAudit`, with the caller's connection and transaction: for changes by SQL statements. */
export async function insertAudit(
  client: SqlClient,
  { accountId, action, target, changes = [] }: AuditEvent,
): Promise<void> {
  const { actor, address, userAgent, requestId } = currentAuditContext();
  const now = systemClock.now();
  await client.query(
    `insert into audit_entries (id, created_at, account_id, action, actor_kind, actor_user_id, actor_api_key_id, actor_label,
       target_type, target_id, target_label, changes, address, user_agent, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      nextId(now),
      new Date(now),
      accountId,
      action,
      actor.kind,
      actor.userId,
      actor.apiKeyId,
      actor.label,
      target.type,
      target.id,
      target.label,
      JSON.stringify(changes),
      address,
      userAgent,
      requestId,
    ],
  );
}

let sequence = 0;

/**
 * A UUIDv7 (RFC 9562, method 1: 12 bits count the ids of this process), so that entries of the same millisecond stay in order.
 */
function nextId(now: number): string {
  sequence = (sequence + 1) & 0x0f_ff;
  const time = now.toString(16).padStart(12, '0');
  const random = randomBytes(8);
  random[0] = 0x80 | (random.readUInt8(0) & 0x3f);
  const tail = random.toString('hex');
  const counted = sequence.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counted}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
