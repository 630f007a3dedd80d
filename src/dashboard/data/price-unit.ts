import { useSyncExternalStore } from 'react';

/** Number of tokens that prices are shown for. */
export const priceUnits = ['1M', '1K'] as const;
export type PriceUnit = (typeof priceUnits)[number];

export const priceUnitNames: Readonly<Record<PriceUnit, string>> = {
  '1M': 'per 1M tokens',
  '1K': 'per 1K tokens',
};

/** Divisors of a price per 1,000,000 tokens. */
const divisors: Readonly<Record<PriceUnit, number>> = { '1M': 1, '1K': 1_000 };

const STORAGE_KEY = 'sluice_price_unit';
const listeners = new Set<() => void>();

function current(): PriceUnit {
  return localStorage.getItem(STORAGE_KEY) === '1K' ? '1K' : '1M';
}

/** Stored in this browser. */
export function setPriceUnit(unit: PriceUnit): void {
  localStorage.setItem(STORAGE_KEY, unit);
  for (const listener of listeners) listener();
}

export function usePriceUnit(): PriceUnit {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}

/** @param perMillion USD per 1,000,000 tokens */
export function inPriceUnit(perMillion: string | number, unit: PriceUnit): number {
  return Number(perMillion) / divisors[unit];
}
