import { inPriceUnit, type PriceUnit } from '../../data/price-unit.ts';
import { money, words } from '../../design/format.ts';
import { unitPrice } from '../models/prices.ts';

/** Of how a cost came about. */
interface CostStep {
  readonly quantity: string;
  readonly unit: string;
  /** USD. */
  readonly rate: string;
  /** So many of the unit have that rate. */
  readonly per: number;
}

const MILLION = 1_000_000;
/** Media are counted to the thousandth, mark-ups to parts per million. */
const quantityFormat = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** How much of its unit a step counts: `1,200 tokens`, `12.5%`. */
export function quantityText({ quantity, unit }: Pick<CostStep, 'quantity' | 'unit'>): string {
  const number = quantityFormat.format(Number(quantity));
  if (unit === 'percent') return `${number}%`;
  const name = words(unit).toLowerCase();
  if (number === '1') return `1 ${name}`;
  return `${number} ${unit === 'search' ? 'searches' : `${name}s`}`;
}

/** Tokens by the chosen unit; audio and video per second; all else as the provider prices it. */
export function rateText({ rate, per, unit }: Pick<CostStep, 'rate' | 'per' | 'unit'>, tokens: PriceUnit): string {
  if (unit === 'percent') return `of ${money(rate)}`;
  if (unit === 'token' && per === MILLION) return `${money(inPriceUnit(rate, tokens))} / ${tokens} tokens`;
  return unitPrice({ unit, per, price: rate });
}
