import type { ReactNode } from 'react';
import { priceUnitNames, priceUnits, setPriceUnit, usePriceUnit } from '../data/price-unit.ts';
import { Select } from './field.tsx';

/** Selects the token unit of prices, for all pages in this browser. */
export function PriceUnitSelect({ hidesLabel = false }: { readonly hidesLabel?: boolean }): ReactNode {
  return (
    <Select
      label="Token prices"
      hidesLabel={hidesLabel}
      value={usePriceUnit()}
      onChange={({ target }) => setPriceUnit(priceUnits.find((each) => each === target.value) ?? '1M')}
    >
      {priceUnits.map((unit) => (
        <option key={unit} value={unit}>
          {capitalized(priceUnitNames[unit])}
        </option>
      ))}
    </Select>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
