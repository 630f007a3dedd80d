import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { duration, money, percent, short } from '../../design/format.ts';
import { Failed, Skeleton } from '../../design/state.tsx';
import type { AnalyticsSumsFragment, AnalyticsTimesFragment } from '../../generated/graphql.ts';
import { changeText } from './change.ts';
import { logSearch, type AnalyticsSearch } from './search.ts';
import type { Analytics } from './use-analytics.ts';

interface Tile {
  readonly title: string;
  readonly valueOf: (total: AnalyticsTimesFragment) => number | null;
  readonly text: (value: number) => string;
  readonly note: (total: AnalyticsTimesFragment) => string;
  /** Whether the rows behind it are errors. */
  readonly errors?: true;
}

const tiles: readonly Tile[] = [
  {
    title: 'Cost',
    valueOf: ({ cost }) => Number(cost.amount),
    text: money,
    note: ({ cost, requests }) => (requests === 0 ? '' : `${money(Number(cost.amount) / requests)} per request`),
  },
  { title: 'Requests', valueOf: ({ requests }) => requests, text: short, note: () => '' },
  {
    title: 'Tokens',
    valueOf: tokensOf,
    text: short,
    note: ({ inputTokens, outputTokens }) => `${short(inputTokens)} input, ${short(outputTokens)} output`,
  },
  {
    title: 'Error rate',
    valueOf: ({ errors, requests }) => (requests === 0 ? null : errors / requests),
    text: (value) => percent(value, 1),
    note: ({ errors, requests }) => `${short(errors)} of ${short(requests)} requests`,
    errors: true,
  },
  {
    title: 'Time to first token',
    valueOf: ({ firstToken }) => firstToken?.p50 ?? null,
    text: duration,
    note: ({ firstToken }) => (firstToken ? `p50, p95 ${duration(firstToken.p95)}` : ''),
  },
  {
    title: 'Prompt cache hit rate',
    valueOf: cacheRate,
    text: (value) => percent(value, 1),
    note: ({ cachedTokens }) => `${short(cachedTokens)} tokens read`,
  },
];

export function tokensOf({ inputTokens, outputTokens }: AnalyticsSumsFragment): number {
  return inputTokens + outputTokens;
}

/** The part of the input that was read from prompt caches. Null without input. */
export function cacheRate({ cachedTokens, inputTokens }: AnalyticsSumsFragment): number | null {
  return inputTokens === 0 ? null : cachedTokens / inputTokens;
}

/** The totals. Each opens the requests behind it. */
export function Tiles({
  analytics: { totals, range },
  search,
}: {
  readonly analytics: Analytics;
  readonly search: AnalyticsSearch;
}): ReactNode {
  const { data, failure, refetch } = totals;
  if (data === null && failure) return <Failed failure={failure} onRetry={refetch} />;
  return (
    <ul aria-label="Totals" className="grid grid-cols-2 gap-1 md:grid-cols-3 lg:grid-cols-6">
      {tiles.map(({ title, valueOf, text, note, errors }) => {
        const value = data && valueOf(data.current.total);
        return (
          <li key={title} className="min-w-0">
            <Link
              to="/billing/usage"
              search={logSearch(search, range, errors && { errors, status: undefined })}
              className="figures block h-full rounded-medium border border-line p-1.5 -outline-offset-2 hover:bg-hover"
            >
              <span className="block text-soft">{title}</span>
              <span className="mt-0.5 block text-huge wrap-anywhere tracking-[-0.01em]">
                {data === null ? <Skeleton className="my-0.5 h-3 w-10" /> : value === null ? '–' : text(value)}
              </span>
              <span className="block text-small text-soft">{data ? note(data.current.total) : ' '}</span>
              <span className="block text-small text-soft">
                {data ? changeText(value, valueOf(data.previous.total), text) : ' '}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
