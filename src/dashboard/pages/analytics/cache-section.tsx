import { useMemo, type ReactNode } from 'react';
import { LineChart } from '../../design/chart.tsx';
import { count, money, percent } from '../../design/format.ts';
import { Facts, Section } from '../../design/page.tsx';
import { QueryContent } from '../../design/state.tsx';
import type { AnalyticsSumsFragment, AnalyticsTotalsQuery } from '../../generated/graphql.ts';
import { changeText } from './change.ts';
import { previousLine, rateStyle, valuesAt } from './series.ts';
import { cacheRate } from './tiles.tsx';
import type { Analytics } from './use-analytics.ts';

/** Hit rates of the prompt caches and the response cache, and what they saved. */
export function CacheSection({ analytics }: { readonly analytics: Analytics }): ReactNode {
  return (
    <Section title="Caches">
      <div className="grid gap-3 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <QueryContent query={analytics.totals} className="h-28">
          {(data) => (
            <>
              <RateChart data={data} analytics={analytics} />
              <Savings data={data} />
            </>
          )}
        </QueryContent>
      </div>
    </Section>
  );
}

function RateChart({
  data: { current, previous },
  analytics: { time, before },
}: {
  readonly data: AnalyticsTotalsQuery;
  readonly analytics: Analytics;
}): ReactNode {
  const values = useMemo(() => valuesAt(current.groups, time, ({ usage }) => ratePercent(usage)), [current, time]);
  const earlier = useMemo(
    () => previousLine(valuesAt(previous.groups, before, ({ usage }) => ratePercent(usage))),
    [previous, before],
  );
  const hasValues = values.some((each) => each !== null);
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <h3 className="font-strong">Input read from prompt caches</h3>
      <LineChart
        label="Prompt cache hit rate over time"
        time={time}
        series={hasValues ? [{ name: 'Hit rate', style: rateStyle, values }] : []}
        measure="percent"
        emptyText="No input tokens in this period."
        height={160}
        previous={earlier}
      />
    </div>
  );
}

function ratePercent(usage: AnalyticsSumsFragment): number | null {
  const rate = cacheRate(usage);
  return rate === null ? null : rate * 100;
}

function Savings({ data: { current, previous } }: { readonly data: AnalyticsTotalsQuery }): ReactNode {
  const { total } = current;
  const before = previous.total;
  const saved = (now: { readonly amount: string }, then: { readonly amount: string }): ReactNode => (
    <>
      {money(now.amount)}{' '}
      <span className="text-small text-soft">{changeText(Number(now.amount), Number(then.amount), money)}</span>
    </>
  );
  return (
    <Facts
      facts={[
        [
          'Prompt cache tokens read',
          `${count(total.cachedTokens)} (${percent(total.cachedTokens, total.inputTokens)} of input)`,
        ],
        ['Requests with prompt cache', count(total.promptCacheRequests)],
        ['Saved by prompt caches', saved(total.promptCacheSavings, before.promptCacheSavings)],
        [
          'Response cache hits',
          `${count(total.responseCacheRequests)} (${percent(total.responseCacheRequests, total.requests)} of requests)`,
        ],
        ['Saved by response cache', saved(total.responseCacheSavings, before.responseCacheSavings)],
      ]}
    />
  );
}
