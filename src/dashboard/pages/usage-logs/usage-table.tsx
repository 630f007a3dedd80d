import type { ReactNode } from 'react';
import { count, money } from '../../design/format.ts';
import type { UsageSum } from './usage-sums.ts';

const MAX_SHOWN = 50;

/** The totals, with a row for each model or key. */
export function UsageTable({
  by,
  sums,
}: {
  readonly by: 'model' | 'key';
  readonly sums: readonly UsageSum[];
}): ReactNode {
  if (sums.length === 0) return null;
  return (
    <div className="max-h-40 overflow-auto">
      <table className="figures w-full border-collapse text-left">
        <caption className="sr-only">{by === 'model' ? 'Usage per model' : 'Usage per key'}</caption>
        <thead className="sticky top-0 bg-page text-small text-soft">
          <tr>
            <th className="py-0.5 font-normal">{by === 'model' ? 'Model' : 'Key'}</th>
            <th className="py-0.5 pl-1 text-right font-normal">Requests</th>
            <th className="py-0.5 pl-1 text-right font-normal">Tokens</th>
            <th className="py-0.5 pl-1 text-right font-normal">Estimated cost (USD)</th>
          </tr>
        </thead>
        <tbody>
          {sums.slice(0, MAX_SHOWN).map(({ name, requests, tokens, cost }) => (
            <tr key={name} className="border-t border-line">
              <td className="w-full min-w-20 py-0.5 pr-1 wrap-anywhere">{name}</td>
              <td className="w-10 py-0.5 pl-1 text-right">{count(requests)}</td>
              <td className="w-13 py-0.5 pl-1 text-right">{count(tokens)}</td>
              <td className="w-18 py-0.5 pl-1 text-right">{money(String(cost))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sums.length > MAX_SHOWN ? <p className="text-small text-soft">{count(sums.length - MAX_SHOWN)} more</p> : null}
    </div>
  );
}
