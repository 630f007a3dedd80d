import type { Request, Response } from 'express';
import { nobody, runAs } from '../../services/audit/audit-context.ts';
import { identityOf } from '../headers/request-identity.ts';

/** Adds the address, user agent and ID of a request to audit entries of the work. */
export function withAuditContext<T>(request: Request, response: Response, work: () => T): T {
  const { requestId } = identityOf(response);
  const userAgent = request.headers['user-agent'] ?? null;
  return runAs(nobody, { address: request.ip ?? null, userAgent, requestId }, work);
}
