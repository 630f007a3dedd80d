import { rateUnits, ratePattern } from '../../catalogue/prices/decimal.ts';
import { SluiceError } from '../../errors/index.ts';
import type { PaymentProvider } from './payments/payment-provider.ts';

const MIN_CENTS = 100;
const MAX_CENTS = 1_000_000;
/** Decimals have units of 10^-12. */
const UNITS_PER_CENT = 10_000_000_000n;

/** Purchases of credit. */
export class TopUps {
  readonly #checkout: PaymentProvider['checkout'];

  constructor({ checkout }: Pick<PaymentProvider, 'checkout'>) {
    this.#checkout = checkout;
  }

  /** Whether the server has a payment provider. */
  get isAvailable(): boolean {
    return this.#checkout !== null;
  }

  /**
   * @param amount USD, a decimal
   * @returns the URL of the page on which it is paid
   * @throws SluiceError top_up_unavailable | amount_out_of_range | payment_provider_failed
   */
  async begin(accountId: string, amount: string): Promise<string> {
    if (this.#checkout === null) throw new SluiceError('top_up_unavailable');
    return this.#checkout({ accountId, cents: centsOf(amount) });
  }
}

function centsOf(amount: string): number {
  const units = ratePattern.test(amount) ? rateUnits(amount) : 0n;
  const cents = Number(units / UNITS_PER_CENT);
  if (units % UNITS_PER_CENT !== 0n || cents < MIN_CENTS || cents > MAX_CENTS)
    throw new SluiceError('amount_out_of_range', {
      param: 'amount',
      values: { min: MIN_CENTS / 100, max: MAX_CENTS / 100 },
    });
  return cents;
}
