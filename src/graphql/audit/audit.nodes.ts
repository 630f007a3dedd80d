import type { AuditLog } from '../../services/audit/audit-log.ts';
import type { MembersService } from '../../services/members/members.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toAuditEntry } from './audit.mapping.ts';

/** Audit entries by their IDs. */
export function auditNodes(audit: Pick<AuditLog, 'byIds'>, members: Pick<MembersService, 'users'>): NodeLoaders {
  return {
    AuditEntry: async (context, ids) => {
      const { accountId } = await context.require('audit.read');
      const rows = await audit.byIds(accountId, ids);
      const users = await members.users(rows.flatMap(({ actorUserId }) => actorUserId ?? []));
      return rows.map((row) => withTypename('AuditEntry', toAuditEntry(row, users)));
    },
  };
}
