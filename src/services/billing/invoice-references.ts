/** What the ledger calls what is posted for an invoice: each is posted once. */
export function postingReference(
  invoiceId: string,
  what: 'fees' | 'allowance' | 'rounding' | 'demand' | 'payment' | 'void' | 'forgiven',
): string {
  return `invoice:${invoiceId}:${what}`;
}
