import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState, type ReactNode } from 'react';
import { useAnswer, useRead } from '../../data/graphql/hooks.ts';
import { useRange } from '../../data/range.ts';
import { Page } from '../../design/page.tsx';
import { RangePicker } from '../../design/range-picker.tsx';
import {
  OverviewFirstDocument,
  OverviewModelsDocument,
  OverviewUsageDocument,
  type OverviewUsageQuery,
} from '../../generated/graphql.ts';
import { usePowers } from '../../shell/powers.ts';
import { useViewer } from '../../shell/viewer.ts';
import { FirstSteps } from './first-steps.tsx';
import { LiveActivity } from './live-activity.tsx';
import { Metrics } from './metrics.tsx';
import { NearLimits, useNearLimits } from './near-limits.tsx';
import type { Metric } from './search.ts';
import { TopModels } from './top-models.tsx';
import { useLiveRequests } from './use-live-requests.ts';

export function OverviewPage(): ReactNode {
  const search = useSearch({ from: '/signed/' });
  const navigate = useNavigate({ from: '/' });
  const { currentAccount } = useViewer();
  const { may } = usePowers();
  const name = search.range ?? '7d';
  const { from, to, interval } = useRange(name, currentAccount);
  const range = { from, to };
  const usage = useRead(OverviewUsageDocument, { range, interval });
  const models = useRead(OverviewModelsDocument, { range, interval });
  const usageAnswer = useAnswer(usage, name);
  const modelsAnswer = useAnswer(models, name);
  const first = useRead(OverviewFirstDocument, {});
  const [isGuideOpen, setGuideOpen] = useState(false);
  const { again: usageAgain } = usage;
  const { again: modelsAgain } = models;
  const limits = useNearLimits();
  const { again: limitsAgain } = limits;
  const refresh = useCallback(() => {
    usageAgain();
    modelsAgain();
    limitsAgain();
  }, [usageAgain, modelsAgain, limitsAgain]);
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
      {isGuideOpen && may('keys.write') ? <FirstSteps live={live.requests} onDone={() => setGuideOpen(false)} /> : null}
      <Metrics
        usage={usageAnswer}
        models={modelsAnswer}
        range={{ from, to, interval }}
        metric={search.metric ?? defaultMetric(usageAnswer.data)}
        onMetric={(metric) => void navigate({ search: (before) => ({ ...before, metric }), replace: true })}
      />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <LiveActivity live={live} />
        <div className="flex flex-col gap-5">
          <NearLimits read={limits} />
          <TopModels answer={modelsAnswer} range={name} />
        </div>
      </div>
    </Page>
  );
}

/** Requests when nothing was billed. */
function defaultMetric(data: OverviewUsageQuery | null): Metric {
  return data && data.usage.total.requests > 0 && Number(data.usage.total.cost.amount) === 0 ? 'requests' : 'spend';
}
