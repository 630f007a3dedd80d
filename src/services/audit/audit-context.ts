/** The audit context, for entry points of requests, commands and jobs. */
export { currentAuditContext, nobody, runAs } from '../../database/audit/audit-context.ts';
