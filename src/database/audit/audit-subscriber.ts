import { ChangeSetType, JsonType, type ChangeSet, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import { Membership } from '../entities/membership.entity.ts';
import type { AuditChange } from '../entities/audit-entry.entity.ts';
import { auditRules, type AuditRule, type ChangeKind } from './audit-rules.ts';
import { buildEntry } from './record.ts';

const kinds: Readonly<Record<ChangeSetType, ChangeKind>> = {
  [ChangeSetType.CREATE]: 'created',
  [ChangeSetType.UPDATE]: 'updated',
  [ChangeSetType.UPDATE_EARLY]: 'updated',
  [ChangeSetType.DELETE]: 'deleted',
  [ChangeSetType.DELETE_EARLY]: 'deleted',
};
const ruleOf = new Map<unknown, AuditRule>(auditRules.map((rule) => [rule.entity, rule]));

/**
 * Records each change of audited entities by a unit of work, in the same transaction. Part of every database that is opened,
 * so that no service has to call it. Changes by SQL statements are recorded by `recordAudit`.
 */
export class AuditSubscriber implements EventSubscriber {
  async onFlush({ em, uow }: FlushEventArgs): Promise<void> {
    const changeSets = uow.getChangeSets();
    for (const changeSet of changeSets) {
      const rule = ruleOf.get(changeSet.meta.class);
      if (rule === undefined) continue;
      const kind = kinds[changeSet.type];
      const changes = changesOf(em, changeSet, kind, rule);
      if (kind === 'updated' && changes.length === 0) continue;
      const fields = new Set(changes.map(({ field }) => field));
      const description = rule.describe(changeSet.entity, kind, fields);
      if (description === null) continue;
      const target = { type: rule.type, id: String(changeSet.getPrimaryKey()), label: description.label };
      const accounts: readonly (string | null)[] =
        'accountId' in description.belongs
          ? [description.belongs.accountId]
          : await accountsOf(em, changeSets, description.belongs.memberships);
      for (const accountId of accounts)
        uow.computeChangeSet(buildEntry(em, { accountId, action: description.action, target, changes }));
    }
  }
}

function changesOf(
  em: FlushEventArgs['em'],
  { entity, payload, originalEntity, meta }: ChangeSet<object>,
  kind: ChangeKind,
  rule: AuditRule,
): AuditChange[] {
  const stored: Readonly<Record<string, unknown>> = { ...originalEntity };
  const live = new Map<string, unknown>(Object.entries(entity));
  const platform = em.getPlatform();
  const before = (name: string): unknown => {
    const customType = meta.props.find((property) => property.name === name)?.customType;
    const value = stored[name];
    if (customType instanceof JsonType && typeof value === 'string') return JSON.parse(value);
    return customType && value !== null && value !== undefined ? customType.convertToJSValue(value, platform) : value;
  };
  const names = kind === 'updated' ? Object.keys(payload) : meta.props.map(({ name }) => name);
  return names.flatMap((name) => {
    const audited = rule.fieldOf(name);
    if (audited === null) return [];
    const change = {
      field: audited.field,
      before: kind === 'created' ? null : audited.value(kind === 'deleted' ? live.get(name) : before(name)),
      after: kind === 'deleted' ? null : audited.value(live.get(name)),
    };
    const hasContent = change.before !== null || change.after !== null || kind === 'updated';
    return hasContent ? [change] : [];
  });
}

/**
 * The accounts that a user belongs to, including those that this unit of work adds them to; `null` for the log of no account.
 */
async function accountsOf(
  em: FlushEventArgs['em'],
  changeSets: readonly ChangeSet<object>[],
  userId: string,
): Promise<readonly (string | null)[]> {
  const joining = changeSets.flatMap(({ entity, type }) =>
    type === ChangeSetType.CREATE && entity instanceof Membership && entity.user.id === userId
      ? [entity.account.id]
      : [],
  );
  // Not by the unit of work, which would flush again.
  const rows: { account_id: string }[] = await em
    .getConnection()
    .execute('select account_id from memberships where user_id = ?', [userId], 'all', em.getTransactionContext());
  const accounts = new Set([...joining, ...rows.map(({ account_id: accountId }) => accountId)]);
  return accounts.size === 0 ? [null] : [...accounts];
}
