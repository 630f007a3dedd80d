import express, { type Request, type Response, type Router } from 'express';
import { pipeline } from 'node:stream/promises';
import { invoicePdf } from '../../services/billing/invoices/invoice-pdf.ts';
import type { InvoicesService } from '../../services/billing/invoices/invoices.service.ts';
import { accountOfCaller, type CallersDirectory } from '../authentication/account-of-caller.ts';
import { onlyMethods } from '../http/errors.ts';
import { identityOf } from '../headers/request-headers.ts';

export interface InvoiceDependencies extends CallersDirectory {
  readonly invoices: InvoicesService;
}

/** `GET /invoices/<number>.pdf`: an invoice of the account, for a session or a key with the scope `read`. */
export function buildInvoicesRouter(deps: InvoiceDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route(/^\/invoices\/[0-9A-Fa-f]{1,32}-[0-9]{1,9}\.pdf$/)
    // GET handles HEAD too.
    .get((request, response) => answer(deps, request, response))
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}

async function answer(deps: InvoiceDependencies, request: Request, response: Response): Promise<void> {
  const accountId = await accountOfCaller(deps, request, 'invoices.read');
  const [, number = ''] = /\/([^/]+)\.pdf$/.exec(request.path) ?? [];
  const found = await deps.invoices.byNumber(number, accountId);
  response.set({
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="invoice-${found.invoice.number}.pdf"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': identityOf(response).requestId,
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(await invoicePdf(found), response);
  } catch (error) {
    // The client disconnected.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
  }
}
