import type { ReactNode } from 'react';
import { useQuery, useRetainedData } from '../../../data/graphql/hooks.ts';
import type { Range } from '../../../data/range.ts';
import { count, percent } from '../../../design/format.ts';
import { filterOf } from '../filter.ts';
import { meansBy, type UsageLogsSearch } from '../search.ts';
import { Choice } from '../usage-charts.tsx';
import { FeedbackMeansDocument, type FeedbackDimension, type FeedbackMeansQuery } from '../../../generated/graphql.ts';

const MAX_SHOWN = 50;
const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const dimensions = { model: 'MODEL', route: 'ROUTE', key: 'KEY' } as const;
const titles: Readonly<Record<FeedbackDimension, string>> = { MODEL: 'Model', ROUTE: 'Route', KEY: 'Key' };

type Group = FeedbackMeansQuery['feedbackSummary'][number];

/** Means of the feedback on the requests of a time range that match the filters; nothing where there is none. */
export function FeedbackMeans({
  search,
  range,
  onChange,
}: {
  readonly search: UsageLogsSearch;
  readonly range: Range;
  readonly onChange: (next: Pick<UsageLogsSearch, 'meansBy'>) => void;
}): ReactNode {
  const chosen = search.meansBy ?? 'model';
  const by = dimensions[chosen];
  const filter = filterOf(search);
  const result = useQuery(FeedbackMeansDocument, { range: { from: range.from, to: range.to }, groupBy: [by], filter });
  const { data } = useRetainedData(result, JSON.stringify([by, filter, search.range, search.from, search.to]));
  const groups = data?.feedbackSummary ?? [];
  if (groups.length === 0) return null;
  return (
    <section aria-label="Feedback" className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="flex-1 text-large">Feedback</h2>
        <Choice
          label="Group feedback by"
          options={meansBy}
          chosen={chosen}
          textOf={(each) => `By ${each}`}
          onChoose={(next) => onChange({ meansBy: next })}
        />
      </div>
      <div className="max-h-40 overflow-auto">
        <table className="figures w-full border-collapse text-left">
          <caption className="sr-only">Feedback per {titles[by].toLowerCase()}</caption>
          <thead className="sticky top-0 bg-page text-small text-soft">
            <tr>
              <th className="py-0.5 font-normal">{titles[by]}</th>
              <th className="py-0.5 pl-1 font-normal">Feedback</th>
              <th className="py-0.5 pl-1 text-right font-normal">Values</th>
              <th className="py-0.5 pl-1 text-right font-normal">Mean</th>
            </tr>
          </thead>
          <tbody>
            {groups.slice(0, MAX_SHOWN).map((group) => (
              <tr
                key={JSON.stringify([nameOf(group, by), group.apiKey?.id, group.name])}
                className="border-t border-line"
              >
                <td className="w-full min-w-16 py-0.5 pr-1 wrap-anywhere">{nameOf(group, by)}</td>
                <td className="min-w-10 py-0.5 pl-1 wrap-anywhere">{group.name}</td>
                <td className="w-10 py-0.5 pl-1 text-right">{count(group.count)}</td>
                <td className="w-13 py-0.5 pl-1 text-right" title={shareOf(group)}>
                  {group.mean == null ? '–' : numbers.format(group.mean)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {groups.length > MAX_SHOWN ? (
          <p className="text-small text-soft">{count(groups.length - MAX_SHOWN)} more</p>
        ) : null}
      </div>
    </section>
  );
}

function nameOf({ model, route, apiKey }: Group, by: FeedbackDimension): string {
  if (by === 'MODEL') return model || 'Unknown model';
  if (by === 'ROUTE') return route || 'Unknown model';
  return apiKey ? `${apiKey.name} (${apiKey.hint})` : 'Dashboard';
}

/** Categories have no mean. */
function shareOf({ scored, count: all }: Group): string | undefined {
  return scored === all ? undefined : `Of ${percent(scored, all)} of the values: categories have no mean.`;
}
