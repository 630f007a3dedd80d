/** Who acts, for the edges that let requests, commands and jobs in. */
export {
  actAs,
  currentAuditContext,
  nobody,
  runAs,
  userActor,
  type Actor,
  type Origin,
} from '../../database/audit/audit-context.ts';
