import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { QueryState } from '../../data/graphql/hooks.ts';
import type { RangeName } from '../../data/range.ts';
import { money } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { otherStyle, seriesStyles } from '../../design/series-style.ts';
import { QueryContent, emptyText } from '../../design/state.tsx';
import { Swatch } from '../../design/texture.tsx';
import { valueText } from '../../design/value-axis.ts';
import type { OverviewModelsQuery } from '../../generated/graphql.ts';

const MAX_SHOWN = 6;

export function TopModels({
  query,
  range,
}: {
  readonly query: QueryState<OverviewModelsQuery>;
  readonly range: RangeName;
}): ReactNode {
  return (
    <Section title="Models">
      <QueryContent query={query} className="h-9">
        {({ models: { groups } }) =>
          groups.length === 0 ? (
            <p className="text-soft">{emptyText('requests')}</p>
          ) : (
            <List groups={groups.slice(0, MAX_SHOWN)} range={range} />
          )
        }
      </QueryContent>
    </Section>
  );
}

function List({
  groups,
  range,
}: {
  readonly groups: OverviewModelsQuery['models']['groups'];
  readonly range: RangeName;
}): ReactNode {
  const styles = seriesStyles(
    'model',
    groups.map(({ model }) => model || 'Unknown model'),
  );
  return (
    <ul>
      {groups.map(({ model, usage }, index) => (
        <li key={model}>
          <Link
            to="/billing/usage"
            search={model ? { model, range } : { status: 'REJECTED', range }}
            className="figures flex min-h-4.5 items-center gap-1 rounded-small px-0.5 py-0.5 -outline-offset-2 hover:bg-hover max-md:min-h-5.5"
          >
            <Swatch style={styles[index] ?? otherStyle} />
            <span className="min-w-0 flex-1 wrap-anywhere">{model || 'Unknown model'}</span>
            <span className="text-soft">{valueText(usage.requests, 'requests')}</span>
            <span className="w-10 shrink-0 text-right">{money(usage.cost.amount)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
