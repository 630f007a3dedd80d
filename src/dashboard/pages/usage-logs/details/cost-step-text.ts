import { inPriceUnit, type PriceUnit } from '../../../data/price-unit.ts';
import { money, words } from '../../../design/format.ts';
import { unitPrice } from '../../models/prices.ts';

/** One item of a cost calculation. */
interface CostStep {
  readonly quantity: string;
  readonly unit: string;
  /** USD. */
  readonly rate: string;
  /** The number of units that the rate is for. */
  readonly per: number;
}

const MILLION = 1_000_000;
/** Media are counted to the thousandth, mark-ups to parts per million. */
const quantityFormat = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** The quantity with its unit: `1,200 tokens`, `12.5%`. */
export function quantityText({ quantity, unit }: Pick<CostStep, 'quantity' | 'unit'>): string {
  const number = quantityFormat.format(Number(quantity));
  if (unit === 'percent') return `${number}%`;
  const name = words(unit).toLowerCase();
  if (number === '1') return `1 ${name}`;
  return `${number} ${name.endsWith('search') ? `${name}es` : `${name}s`}`;
}

/** Tokens per the selected price unit, audio and video per second, other units as the provider prices them. */
export function rateText({ rate, per, unit }: Pick<CostStep, 'rate' | 'per' | 'unit'>, tokens: PriceUnit): string {
  if (unit === 'percent') return `of ${money(rate)}`;
  if (unit === 'token' && per === MILLION) return `${money(inPriceUnit(rate, tokens))} / ${tokens} tokens`;
  return unitPrice({ unit, per, price: rate });
}
