/** The ledger reference of a posting for an invoice, so that each is posted once. */
export function postingReference(
  invoiceId: string,
  what: 'fees' | 'allowance' | 'rounding' | 'demand' | 'payment' | 'void' | 'forgiven',
): string {
  return `invoice:${invoiceId}:${what}`;
}
