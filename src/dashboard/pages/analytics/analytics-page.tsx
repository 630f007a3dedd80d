import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Page } from '../../design/page.tsx';
import { LogCoverageNotice } from '../../shell/notices/log-coverage.tsx';
import { SavedViewsMenu } from '../../shell/saved-views/saved-views-menu.tsx';
import { AnalyticsFilterBar } from './analytics-filters.tsx';
import { CacheSection } from './cache-section.tsx';
import { ErrorSection } from './error-section.tsx';
import { GroupSection } from './group-section.tsx';
import { LatencySection } from './latency-section.tsx';
import type { AnalyticsSearch } from './search.ts';
import { Tiles } from './tiles.tsx';
import { useAnalytics } from './use-analytics.ts';

export function AnalyticsPage(): ReactNode {
  const search = useSearch({ from: '/shell/analytics' });
  const navigate = useNavigate({ from: '/analytics' });
  const analytics = useAnalytics(search);
  const change = useCallback(
    (next: Partial<AnalyticsSearch>): void =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  );
  return (
    <Page
      title="Analytics"
      lead="Usage compared with the previous period."
      actions={<SavedViewsMenu page="ANALYTICS" />}
    >
      <AnalyticsFilterBar search={search} range={analytics.range} onChange={change} />
      <LogCoverageNotice from={analytics.range.from} to={analytics.range.to}>
        Totals and groups include them, except those by error and by end user.
      </LogCoverageNotice>
      <Tiles analytics={analytics} search={search} />
      <GroupSection analytics={analytics} search={search} onChange={change} />
      <LatencySection analytics={analytics} />
      <ErrorSection analytics={analytics} search={search} />
      <CacheSection analytics={analytics} />
    </Page>
  );
}
