import type { Request, Response } from 'express';
import type { Origin } from '../../services/audit/audit-context.ts';
import { identityOf } from '../headers/request-headers.ts';

/** Where a request came from, for the audit log. */
export function auditOriginOf(request: Request, response: Response): Origin {
  const { requestId } = identityOf(response);
  return { address: request.ip ?? null, userAgent: request.headers['user-agent'] ?? null, requestId };
}
