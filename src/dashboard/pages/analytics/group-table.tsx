import { Link } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Range } from '../../data/range.ts';
import { BreakableId } from '../../design/breakable-id.tsx';
import { IconButton } from '../../design/button.tsx';
import { count, money, percent, speed } from '../../design/format.ts';
import type { AnalyticsDimensionsFragment, AnalyticsGroupsQuery } from '../../generated/graphql.ts';
import { costChange } from './change.ts';
import { groupFilter, groupId } from './group-names.ts';
import { dimensionTitles, logSearch, type AnalyticsSearch, type Dimension } from './search.ts';
import { tokensOf } from './tiles.tsx';

/** A row for each group, which opens its requests. */
export function GroupTable({
  data: { groups, before },
  search,
  range,
  by,
  nameOf,
  onChange,
}: {
  readonly data: AnalyticsGroupsQuery;
  readonly search: AnalyticsSearch;
  readonly range: Range;
  readonly by: Dimension;
  readonly nameOf: (group: AnalyticsDimensionsFragment) => string;
  readonly onChange: (next: Partial<AnalyticsSearch>) => void;
}): ReactNode {
  const earlier = new Map(before.groups.map((group) => [groupId(group), Number(group.usage.cost.amount)]));
  return (
    <table className="figures w-full border-collapse text-left">
      <caption className="sr-only">{`Usage by ${dimensionTitles[by].toLowerCase()}`}</caption>
      <thead className="text-small text-soft">
        <tr>
          <th scope="col" className="py-0.5 font-normal">
            {dimensionTitles[by]}
          </th>
          <th scope="col" className="py-0.5 pl-1 text-right font-normal">
            Requests
          </th>
          <th scope="col" className="py-0.5 pl-1 text-right font-normal max-md:hidden">
            Errors
          </th>
          <th scope="col" className="py-0.5 pl-1 text-right font-normal max-md:hidden">
            Tokens
          </th>
          <th scope="col" className="py-0.5 pl-1 text-right font-normal max-lg:hidden">
            Median output speed (tokens/s)
          </th>
          <th scope="col" className="py-0.5 pl-1 text-right font-normal">
            Cost (USD)
          </th>
          <th scope="col" className="py-0.5 pl-1 text-right font-normal max-md:hidden">
            Change in cost
          </th>
          <th scope="col" className="py-0.5 font-normal">
            <span className="sr-only">Filter</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.groups.map((group) => {
          const { requests, errors, cost, outputSpeed } = group.usage;
          const filter = groupFilter(group, by);
          const name = nameOf(group);
          return (
            <tr key={groupId(group)} className="border-t border-line hover:bg-hover">
              <td className="w-full min-w-16 py-0.5 pr-1 wrap-anywhere">
                {filter === null ? (
                  <BreakableId id={name} />
                ) : (
                  <Link
                    to="/billing/usage"
                    search={logSearch(search, range, filter)}
                    className="-outline-offset-2 hover:underline"
                  >
                    <BreakableId id={name} />
                  </Link>
                )}
              </td>
              <td className="py-0.5 pl-1 text-right">{count(requests)}</td>
              <td className="py-0.5 pl-1 text-right whitespace-nowrap max-md:hidden">
                {errors === 0 ? '0' : `${count(errors)} (${percent(errors, requests)})`}
              </td>
              <td className="py-0.5 pl-1 text-right max-md:hidden">{count(tokensOf(group.usage))}</td>
              <td className="py-0.5 pl-1 text-right max-lg:hidden">{outputSpeed ? speed(outputSpeed.p50) : '–'}</td>
              <td className="py-0.5 pl-1 text-right">{money(cost.amount)}</td>
              <td className="py-0.5 pl-1 text-right max-md:hidden">
                {costChange(Number(cost.amount), earlier.get(groupId(group)), before.truncated)}
              </td>
              <td className="py-0.25 pl-1">
                {filter === null ? null : (
                  <IconButton label={`Show only ${name}`} onClick={() => onChange(filter)}>
                    <ListFilter size={16} aria-hidden />
                  </IconButton>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
