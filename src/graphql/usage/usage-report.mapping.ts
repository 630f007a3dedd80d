import type {
  UsageGroup as ReportedGroup,
  UsageReport as Report,
  UsageTotals as Totals,
} from '../../services/usage/report/usage-report.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import type { UsageGroup, UsageReport, UsageTotals } from './usage-report.types.ts';

export function toUsageReport({ total, groups, ...report }: Report): UsageReport {
  return { ...report, total: toUsageTotals(total), groups: groups.map(toUsageGroup) };
}

export function toUsageTotals({
  costNano,
  duration,
  promptCacheSavingsNano,
  responseCacheSavingsNano,
  ...figures
}: Totals): UsageTotals {
  return {
    ...figures,
    cost: usd(costNano),
    latency: duration,
    promptCacheSavings: usd(promptCacheSavingsNano),
    responseCacheSavings: usd(responseCacheSavingsNano),
  };
}

function toUsageGroup(group: ReportedGroup): UsageGroup {
  const { start, apiKeyId, model, provider, capability, memberId, tag, endUser, errorCode } = group;
  const member = memberId === null ? null : toGlobalId('User', memberId);
  const dimensions = { apiKeyId, model, provider, capability, member, tag, endUser, errorCode };
  return { start, ...dimensions, usage: toUsageTotals(group) };
}
