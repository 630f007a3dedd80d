import type { PaymentProvider } from './payment-provider.ts';

/** Without any service: the operator demands what invoices say, and books what becomes of them. */
export const manualPayments: PaymentProvider = { enroll: null, withdraw: null, collect: null, checkout: null };
