import type { InvoicesService } from '../../services/billing/invoices/invoices.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toInvoice } from './invoice.mapping.ts';

/** Invoices by their IDs. */
export function invoiceNodes(invoices: Pick<InvoicesService, 'byIds'>): NodeLoaders {
  return {
    Invoice: async (context, ids) => {
      const { accountId } = await context.require('invoices.read');
      const rows = await invoices.byIds(accountId, ids);
      return rows.map((row) => withTypename('Invoice', toInvoice(row)));
    },
  };
}
