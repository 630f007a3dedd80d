/** The audit context, for entry points of requests, commands and jobs. */
export {
  actAs,
  currentAuditContext,
  nobody,
  runAs,
  userActor,
  type Actor,
  type Origin,
} from '../../database/audit/audit-context.ts';
