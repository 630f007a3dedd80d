import { useState, type ReactNode } from 'react';
import { BreakableId } from '../../design/breakable-id.tsx';
import { Button } from '../../design/button.tsx';
import { count, money } from '../../design/format.ts';
import type { UsageSum } from './usage-sums.ts';

/** All are shown on request: a window of its own would cut a row. */
const FEW = 8;
const MAX_SHOWN = 50;

/** The totals, with a row for each model or key. */
export function UsageTable({
  by,
  sums,
}: {
  readonly by: 'model' | 'key';
  readonly sums: readonly UsageSum[];
}): ReactNode {
  const [showsMore, setShowsMore] = useState(false);
  if (sums.length === 0) return null;
  const most = Math.min(sums.length, MAX_SHOWN);
  const hidden = sums.length - MAX_SHOWN;
  return (
    <div className="flex flex-col gap-0.5 overflow-x-auto">
      <table className="figures w-full border-collapse text-left">
        <caption className="sr-only">{by === 'model' ? 'Usage per model' : 'Usage per key'}</caption>
        <thead className="text-small text-soft">
          <tr>
            <th className="py-0.5 font-normal">{by === 'model' ? 'Model' : 'Key'}</th>
            <th className="py-0.5 pl-1 text-right font-normal">Requests</th>
            <th className="py-0.5 pl-1 text-right font-normal max-md:hidden">Tokens</th>
            <th className="py-0.5 pl-1 text-right font-normal">Estimated cost (USD)</th>
          </tr>
        </thead>
        <tbody>
          {sums.slice(0, showsMore ? MAX_SHOWN : FEW).map(({ name, requests, tokens, cost }) => (
            <tr key={name} className="border-t border-line">
              <td className="w-full min-w-20 py-0.5 pr-1 wrap-anywhere">
                <BreakableId id={name} />
                <span className="block text-small text-soft md:hidden">{count(tokens)} tokens</span>
              </td>
              <td className="py-0.5 pl-1 text-right md:w-10">{count(requests)}</td>
              <td className="w-13 py-0.5 pl-1 text-right max-md:hidden">{count(tokens)}</td>
              <td className="py-0.5 pl-1 text-right md:w-18">{money(String(cost))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {most > FEW && !showsMore ? (
        <div>
          <Button onClick={() => setShowsMore(true)}>{`Show ${count(most - FEW)} more`}</Button>
        </div>
      ) : hidden > 0 ? (
        <p className="text-small text-soft">{count(hidden)} more</p>
      ) : null}
    </div>
  );
}
