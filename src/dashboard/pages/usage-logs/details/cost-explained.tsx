import type { ReactNode } from 'react';
import { usePriceUnit } from '../../../data/price-unit.ts';
import { count, money, percent, words } from '../../../design/format.ts';
import { quantityText, rateText } from './cost-step-text.ts';
import type { LogDetails } from './log-details.ts';

/** The cost of one request: quantity, price and amount of each item. */
export function CostExplained({ log }: { readonly log: LogDetails }): ReactNode {
  const unit = usePriceUnit();
  if (log.explanation.length === 0)
    return (
      <p className="text-soft">
        {log.priceVersion === UNPRICED
          ? priceSource(log.priceVersion)
          : `No charge for this request. ${priceSource(log.priceVersion)}`}
      </p>
    );
  return (
    <>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Cost calculation</caption>
        <thead className="text-small text-soft">
          <tr>
            <th className="py-0.5 font-normal">Item</th>
            <th className="py-0.5 text-right font-normal">Quantity</th>
            <th className="py-0.5 text-right font-normal">Price</th>
            <th className="py-0.5 text-right font-normal">Cost (USD)</th>
          </tr>
        </thead>
        <tbody>
          {log.explanation.map((step, index) => (
            <tr key={index} className="border-t border-line">
              <td className="py-0.75">{words(step.label)}</td>
              <td className="py-0.75 text-right">{quantityText(step)}</td>
              <td className="py-0.75 text-right text-soft">{rateText(step, unit)}</td>
              <td className="py-0.75 text-right">{money(step.amount.amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="border-t border-line font-strong">
            <td className="py-0.75" colSpan={3}>
              Cost
            </td>
            <td className="py-0.75 text-right">{money(log.cost.amount)}</td>
          </tr>
        </tfoot>
      </table>
      <CacheSavings log={log} />
      <p className="text-small text-soft">{priceSource(log.priceVersion)}</p>
    </>
  );
}

function CacheSavings({ log }: { readonly log: LogDetails }): ReactNode {
  if (log.cacheSavings === null) return null;
  const { amount } = log.cacheSavings;
  const effect = amount.startsWith('-')
    ? `costs ${money(amount.slice(1))} more than it saves`
    : `saves ${money(amount)}`;
  return (
    <p className="text-small text-soft">
      Prompt cache: {count(log.cachedTokens)} of {count(log.inputTokens)} input tokens read (
      {percent(log.cachedTokens, log.inputTokens)}). The cache {effect}.
    </p>
  );
}

/** The `priceVersion` of a model without a known price. */
const UNPRICED = 'unpriced';

function priceSource(priceVersion: string): string {
  return priceVersion === UNPRICED
    ? 'No price is known for this model, so its cost is counted as $0.00.'
    : `Price version: ${priceVersion}.`;
}
