import type { TargetState } from '../../../gateway/routing/provider-states.ts';
import type {
  PerformanceFigures as Figures,
  PerformanceReport as Report,
} from '../../../services/usage/report/performance.ts';
import { enumValue } from '../../routing/enum-value.ts';
import { BreakerState } from '../../routing/route-preview.types.ts';
import { Interval } from '../usage-report.types.ts';
import type { PerformanceFigures, PerformanceReport } from './performance.types.ts';

export function toPerformanceReport(report: Report, targets: readonly TargetState[]): PerformanceReport {
  const { from, to, timeZone, total, intervals, models, errors } = report;
  return {
    from,
    to,
    timeZone,
    interval: enumValue(Interval, report.interval),
    total: toFigures(total),
    intervals: intervals.map(({ start, ...figures }) => ({ start, figures: toFigures(figures) })),
    models: models.map(({ model, ...figures }) => ({ model, figures: toFigures(figures) })),
    errors: [...errors],
    targets: targets.map((target) => ({ ...target, breaker: enumValue(BreakerState, target.breaker) })),
  };
}

function toFigures({ successes, failures, errors, ...figures }: Figures): PerformanceFigures {
  return {
    ...figures,
    uptime: successes + failures === 0 ? null : successes / (successes + failures),
    errorRate: figures.attempts === 0 ? null : errors / figures.attempts,
  };
}
