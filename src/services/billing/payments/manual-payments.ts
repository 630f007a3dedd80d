import type { PaymentProvider } from './payment-provider.ts';

/** No payment provider: the operator collects invoices and records payments manually. */
export const manualPayments: PaymentProvider = { enroll: null, withdraw: null, collect: null, checkout: null };
