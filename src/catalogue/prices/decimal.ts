/** Decimal places of a rate. With a rate per million tokens, a token's price is exact to 10^-18 USD. */
const RATE_PLACES = 12;

/** A rate: a plain non-negative decimal. */
export const ratePattern = /^(\d{1,9})(?:\.(\d{1,12}))?$/;

/**
 * A rate as an integer of 10^-12 USD.
 * @throws RangeError unless it is a plain non-negative decimal of at most 12 places
 */
export function rateUnits(decimal: string): bigint {
  const match = ratePattern.exec(decimal);
  if (!match) throw new RangeError(`not a rate: ${decimal}`);
  return BigInt((match[1] ?? '0') + (match[2] ?? '').padEnd(RATE_PLACES, '0'));
}

/** The shortest decimal of a number, never in exponential form. */
export function decimal(value: number): string {
  return value.toFixed(RATE_PLACES).replace(/\.?0+$/, '');
}
