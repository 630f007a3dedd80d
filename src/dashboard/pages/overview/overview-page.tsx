import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState, type ReactNode } from 'react';
import { useRetainedData, useQuery } from '../../data/graphql/hooks.ts';
import { useRange } from '../../data/range.ts';
import { Page } from '../../design/page.tsx';
import { RangePicker } from '../../design/range-picker.tsx';
import {
  OverviewFirstDocument,
  OverviewModelsDocument,
  OverviewUsageDocument,
  type OverviewUsageQuery,
} from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';
import { FirstSteps } from './first-steps.tsx';
import { LiveActivity } from './live-activity.tsx';
import { Metrics } from './metrics.tsx';
import { NearLimits, useNearLimits } from './near-limits.tsx';
import type { Metric } from './search.ts';
import { TopModels } from './top-models.tsx';
import { useLiveRequests } from './use-live-requests.ts';

export function OverviewPage(): ReactNode {
  const search = useSearch({ from: '/shell/' });
  const navigate = useNavigate({ from: '/' });
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  const name = search.range ?? '7d';
  const { from, to, interval } = useRange(name, currentAccount);
  const range = { from, to };
  const usage = useQuery(OverviewUsageDocument, { range, interval });
  const models = useQuery(OverviewModelsDocument, { range, interval });
  const usageState = useRetainedData(usage, name);
  const modelsState = useRetainedData(models, name);
  const first = useQuery(OverviewFirstDocument, {});
  const [isGuideOpen, setGuideOpen] = useState(false);
  const { refetch: refetchUsage } = usage;
  const { refetch: refetchModels } = models;
  const limits = useNearLimits();
  const { refetch: refetchLimits } = limits;
  const refresh = useCallback(() => {
    refetchUsage();
    refetchModels();
    refetchLimits();
  }, [refetchUsage, refetchModels, refetchLimits]);
  const live = useLiveRequests(refresh);
  const isNew = first.data?.usageLogs.nodes.length === 0;
  // The guide stays open until it is closed, so that it can show the first request.
  if (isNew && !isGuideOpen) setGuideOpen(true);
  return (
    <Page
      title="Overview"
      actions={
        <RangePicker
          chosen={name}
          onChoose={(next) => void navigate({ search: (before) => ({ ...before, range: next }), replace: true })}
        />
      }
    >
      {isGuideOpen && can('keys.write') ? <FirstSteps live={live.requests} onDone={() => setGuideOpen(false)} /> : null}
      <Metrics
        usage={usageState}
        models={modelsState}
        range={{ from, to, interval }}
        metric={search.metric ?? defaultMetric(usageState.data)}
        onMetric={(metric) => void navigate({ search: (before) => ({ ...before, metric }), replace: true })}
      />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <LiveActivity live={live} />
        <div className="flex flex-col gap-5">
          <NearLimits query={limits} />
          <TopModels query={modelsState} range={name} />
        </div>
      </div>
    </Page>
  );
}

/** Requests when nothing was billed. */
function defaultMetric(data: OverviewUsageQuery | null): Metric {
  return data && data.usage.total.requests > 0 && Number(data.usage.total.cost.amount) === 0 ? 'requests' : 'spend';
}
