import { count, money, words } from '../../design/format.ts';
import type { PlanPartsFragment } from '../../generated/graphql.ts';

type Rate = keyof PlanPartsFragment['defaultKeyLimits'];

const rates: readonly (readonly [rate: Rate, name: string])[] = [
  ['requestsPerMinute', 'Requests per minute'],
  ['tokensPerMinute', 'Tokens per minute'],
  ['requestsPerDay', 'Requests per day'],
  ['concurrency', 'Concurrent requests'],
];

export function feeOf({ fee, period }: PlanPartsFragment): string {
  return `${money(fee.amount)} ${per(period)}`;
}

export function includedOf({ allowance, period }: PlanPartsFragment): string {
  return Number(allowance.amount) === 0 ? 'None' : `${money(allowance.amount)} ${per(period)}`;
}

export function overageOf({ overage }: PlanPartsFragment): string {
  return overage === 'REFUSE' ? 'Refused once the balance is used' : 'Billed';
}

export function retentionOf({ retentionDays }: PlanPartsFragment): string {
  return retentionDays == null ? 'Not deleted' : `${count(retentionDays)} days`;
}

export function capabilitiesOf({ capabilities }: PlanPartsFragment): string {
  return capabilities ? capabilities.map(words).join(', ') : 'All';
}

export function markupOf({ markup }: PlanPartsFragment): string {
  return Number(markup) === 0 ? 'None' : `${markup}%`;
}

/** The limits that apply, with their names: first per key, then for all keys of the account. */
export function limitsOf(plan: PlanPartsFragment): readonly (readonly [string, string])[] {
  const { limits, accountLimits, defaultKeyLimits } = plan;
  return [
    ...rates.map(
      ([rate, name]) => [`${name}, per key`, limitText(limits[rate] ?? null, defaultKeyLimits[rate] ?? null)] as const,
    ),
    ...rates.flatMap(([rate, name]) => {
      const limit = accountLimits?.[rate];
      return limit == null ? [] : [[`${name}, all keys`, count(limit)] as const];
    }),
    ['API keys', limits.apiKeys == null ? NO_LIMIT : count(limits.apiKeys)],
  ];
}

const NO_LIMIT = 'No limit';

/** @param max the highest limit of a key @param defaultLimit the limit of a key without its own */
function limitText(max: number | null, defaultLimit: number | null): string {
  if (max === null) return defaultLimit === null ? NO_LIMIT : `${count(defaultLimit)} by default`;
  return defaultLimit === null || defaultLimit >= max ? count(max) : `${count(max)}, ${count(defaultLimit)} by default`;
}

function per(period: PlanPartsFragment['period']): string {
  return period === 'MONTH' ? 'per month' : 'per 30 days';
}
