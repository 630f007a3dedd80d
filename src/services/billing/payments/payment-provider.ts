/** An invoice that is due. */
export interface OpenInvoice {
  readonly id: string;
  readonly number: string;
  readonly accountId: string;
  /** Whole US cents, positive. */
  readonly cents: number;
}

export interface TopUp {
  readonly accountId: string;
  /** Whole US cents, positive. */
  readonly cents: number;
}

/**
 * Collects payments. All calls are idempotent. A member is null if the operator does this manually.
 * @throws SluiceError payment_provider_failed
 */
export interface PaymentProvider {
  /** Registers an account that will have invoices because its plan has a fee. */
  readonly enroll: ((accountId: string) => Promise<void>) | null;
  /**
   * Ends the collection for an account after its last invoice: amounts reported so far become due, and nothing is collected
   * afterwards.
   */
  readonly withdraw: ((accountId: string) => Promise<void>) | null;
  /**
   * Submits an invoice for collection.
   * @returns when it was accepted
   */
  readonly collect: ((invoice: OpenInvoice) => Promise<Date>) | null;
  /**
   * Creates a page on which an account pays for credit. The credit is posted once the payment is confirmed.
   * @returns its URL
   */
  readonly checkout: ((topUp: TopUp) => Promise<string>) | null;
}
