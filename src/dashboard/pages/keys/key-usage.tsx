import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useRetainedData, useQuery } from '../../data/graphql/hooks.ts';
import { bucketsOf, useRange, type Range } from '../../data/range.ts';
import { StackedBarChart } from '../../design/chart.tsx';
import { money, short } from '../../design/format.ts';
import { Facts } from '../../design/page.tsx';
import { seriesOf } from '../../design/series.ts';
import { QueryContent } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { KeyUsageDocument, type KeyFragment, type KeyUsageQuery } from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { DeprecatedModelsOfKey } from '../models/deprecation-section.tsx';
import { KeyState } from './key-table.tsx';

/** A key's usage in the last 30 days and its properties. */
export function KeyUsage({ apiKey }: { readonly apiKey: KeyFragment }): ReactNode {
  const { currentAccount } = useViewer();
  const range = useRange('30d', currentAccount);
  const result = useQuery(KeyUsageDocument, {
    filter: { apiKeyId: apiKey.id },
    range: { from: range.from, to: range.to },
    interval: range.interval,
  });
  return (
    <div className="flex flex-col gap-3 pt-2">
      <DeprecatedModelsOfKey apiKeyId={apiKey.id} />
      <QueryContent query={useRetainedData(result, apiKey.id)} className="h-31">
        {({ usage }) => <UsageChart usage={usage} range={range} name={apiKey.name} />}
      </QueryContent>
      <Facts
        facts={[
          ['Status', <KeyState key="state" apiKey={apiKey} />],
          ['Created', <Time key="created" at={apiKey.createdAt} />],
          ...(apiKey.createdBy ? [['Created by', apiKey.createdBy.name] as const] : []),
          ...(apiKey.previousSecretExpiresAt
            ? [['Old secret expires', <Time key="old" at={apiKey.previousSecretExpiresAt} />] as const]
            : []),
          ['Last used', apiKey.lastUsedAt ? <Time key="used" at={apiKey.lastUsedAt} as="relative" /> : 'Never'],
          ['Expires', apiKey.expiresAt ? <Time key="expires" at={apiKey.expiresAt} /> : 'Never'],
          ['Models', apiKey.allowedModels?.join(', ') ?? 'All'],
          ...(apiKey.modelAliases.length > 0
            ? [['Aliases', apiKey.modelAliases.map(({ name, model }) => `${name} → ${model}`).join(', ')] as const]
            : []),
          [
            'Budget',
            apiKey.budget
              ? `${money(apiKey.budget.spent.amount)} of ${money(apiKey.budget.amount.amount)} spent`
              : 'None',
          ],
        ]}
      />
      <div>
        <Link to="/billing/usage" search={{ key: apiKey.id }} className="text-accent underline underline-offset-2">
          Show its requests
        </Link>
      </div>
    </div>
  );
}

function UsageChart({
  usage: { total, groups, timeZone },
  range,
  name,
}: {
  readonly usage: KeyUsageQuery['usage'];
  readonly range: Range;
  /** The key's name, which determines its colour on every page. */
  readonly name: string;
}): ReactNode {
  const { interval } = range;
  const time = useMemo(() => ({ at: bucketsOf(range, timeZone), interval, timeZone }), [range, interval, timeZone]);
  const series = useMemo(() => {
    const amounts = groups.map(({ start, usage }) => ({ name, start, amount: usage.requests }));
    return seriesOf('key', amounts, time.at);
  }, [groups, name, time]);
  return (
    <>
      <div className="figures grid grid-cols-3 gap-2">
        <Figure name="Requests" value={short(total.requests)} />
        <Figure name="Failed" value={short(total.errors)} />
        <Figure name="Spend" value={money(total.cost.amount)} />
      </div>
      <StackedBarChart
        label="Requests per day, last 30 days"
        time={time}
        series={series}
        measure="requests"
        emptyText="No requests in the last 30 days."
        height={160}
      />
    </>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <div className="text-soft">{name}</div>
      <div className="text-large font-strong">{value}</div>
    </div>
  );
}
