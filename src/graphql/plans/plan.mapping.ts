import type { PlanTerms, RateLimits } from '../../gateway/keys/key-directory.ts';
import type { Plan as PlanEntity, PlanPeriod as PeriodName } from '../../services/plans/plan.ts';
import type { ChangedPlan, PlanChangePreview as PreviewedChange } from '../../services/plans/plans.service.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { usd } from '../scalars/money.type.ts';
import {
  PlanOverage,
  PlanPeriod,
  type AccountLimits,
  type Plan,
  type PlanChange,
  type PlanChangePreview,
} from './plan.types.ts';

const PARTS_PER_PERCENT = 10_000;

const periods: Readonly<Record<PeriodName, PlanPeriod>> = {
  month: PlanPeriod.MONTH,
  '30_days': PlanPeriod.THIRTY_DAYS,
};

const overages: Readonly<Record<PlanTerms['overage'], PlanOverage>> = {
  refuse: PlanOverage.REFUSE,
  bill: PlanOverage.BILL,
};

export function toPlan(plan: PlanEntity): Plan {
  const { limits, accountLimits, terms } = plan;
  return {
    id: plan.id,
    name: plan.name,
    period: periods[plan.period],
    limits: { ...toRates(limits), apiKeys: finite(plan.maxApiKeys) },
    accountLimits: accountLimits && toRates(accountLimits),
    fee: usd(plan.feeNano),
    allowance: usd(plan.allowanceNano),
    overage: overages[terms.overage],
    markup: String(terms.markupPpm / PARTS_PER_PERCENT),
    retentionDays: plan.retentionDays,
    capabilities: terms.capabilities && [...terms.capabilities],
    models: terms.models && [...terms.models],
    offered: plan.offered,
  };
}

export function toPlanChange({ account, from, to, at, pending, amountNano }: ChangedPlan): PlanChange {
  return { account: toAccount(account), from: toPlan(from), to: toPlan(to), at, pending, amount: usd(amountNano) };
}

/** @param includedNano usage that would be included, in nano-USD */
export function toPlanChangePreview(
  { from, to, at, pending, amountNano, renewsAt }: PreviewedChange,
  includedNano: bigint,
): PlanChangePreview {
  return {
    from: toPlan(from),
    to: toPlan(to),
    at,
    pending,
    amount: usd(amountNano),
    renewsAt,
    includedUsage: usd(includedNano),
    canReturn: from === to || from.offered,
  };
}

/** Limits of all keys of an account, or of a key without limits of its own. */
export function toRates(limits: RateLimits): AccountLimits {
  return {
    requestsPerMinute: finite(limits.requestsPerMinute),
    tokensPerMinute: finite(limits.tokensPerMinute),
    requestsPerDay: finite(limits.requestsPerDay),
    concurrency: finite(limits.concurrency),
  };
}

function finite(limit: number): number | null {
  return limit === Infinity ? null : limit;
}
