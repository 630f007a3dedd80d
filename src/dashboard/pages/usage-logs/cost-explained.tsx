import type { ReactNode } from 'react';
import { count, money, words } from '../../design/format.ts';
import type { LogDetails } from './log-drawer.tsx';

/** The bill of one request: so many, at such a price, make so much. */
export function CostExplained({ log }: { readonly log: LogDetails }): ReactNode {
  if (log.explanation.length === 0)
    return <p className="text-soft">Nothing is charged for it: prices of “{log.priceVersion}”.</p>;
  return (
    <>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">How the cost came about</caption>
        <thead className="text-small text-soft">
          <tr>
            <th className="py-0.5 font-normal">What</th>
            <th className="py-0.5 text-right font-normal">How many</th>
            <th className="py-0.5 text-right font-normal">Price</th>
            <th className="py-0.5 text-right font-normal">Makes</th>
          </tr>
        </thead>
        <tbody>
          {log.explanation.map((step, index) => (
            <tr key={index} className="border-t border-line">
              <td className="py-0.75">{words(step.label)}</td>
              <td className="py-0.75 text-right">{count(Number(step.quantity))}</td>
              <td className="py-0.75 text-right text-soft">
                {money(step.rate)} / {step.per === 1 ? step.unit : `${count(step.per)} ${step.unit}s`}
              </td>
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
      <p className="text-small text-soft">Prices of {log.priceVersion}.</p>
    </>
  );
}
