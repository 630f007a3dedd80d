import { nobody, runAs, type Origin } from '../../database/audit/audit-context.ts';

export { currentAuditContext, type Origin } from '../../database/audit/audit-context.ts';

/** Adds the origin of a request to the audit entries of the work. The actor is set when the caller is known. */
export function withAuditContext<T>(origin: Partial<Origin>, work: () => T): T {
  return runAs(nobody, origin, work);
}
