/** An invoice that is demanded. */
export interface OpenInvoice {
  readonly id: string;
  readonly number: string;
  readonly accountId: string;
  /** Whole cents of USD, above zero. */
  readonly cents: number;
}

export interface TopUp {
  readonly accountId: string;
  /** Whole cents of USD, above zero. */
  readonly cents: number;
}

/**
 * Who collects the money. What it is told twice it does once, whatever died in between. Each member is null where people see to
 * it themselves.
 * @throws SluiceError payment_provider_failed
 */
export interface PaymentProvider {
  /** An account will have invoices: it has a plan that costs something. */
  readonly enroll: ((accountId: string) => Promise<void>) | null;
  /** An account has had its last invoice: what it was told of is demanded now, and nothing is from then on. */
  readonly withdraw: ((accountId: string) => Promise<void>) | null;
  /**
   * An invoice is to be collected.
   * @returns when it was taken over
   */
  readonly collect: ((invoice: OpenInvoice) => Promise<Date>) | null;
  /**
   * A page on which an account pays for credit. The credit is posted when the money is there.
   * @returns its URL
   */
  readonly checkout: ((topUp: TopUp) => Promise<string>) | null;
}
