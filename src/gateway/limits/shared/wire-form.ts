import type { RateLimits } from '../../keys/key-directory.ts';
import type { SpendBound } from '../../keys/spend-bound.ts';
import type { BudgetState, Spender } from '../budget.ts';
import type { LimitState } from '../limit-state.ts';
import type { LimitBound } from '../limit-store.ts';
import type {
  Replies,
  WireBound,
  WireBudget,
  WireCharges,
  WireCost,
  WireLevels,
  WireLimit,
  WireSpender,
} from './operations.ts';

export function encodeLimit(limit: number): WireLimit {
  return limit === Infinity ? null : limit;
}

export function decodeLimit(limit: WireLimit): number {
  return limit ?? Infinity;
}

export function encodeBound({ id, of, part, limits }: LimitBound): WireBound {
  const { requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency } = limits;
  return [
    id,
    of,
    part,
    encodeLimit(requestsPerMinute),
    encodeLimit(tokensPerMinute),
    encodeLimit(requestsPerDay),
    encodeLimit(concurrency),
  ];
}

export function decodeBound([id, of, part, ...limits]: WireBound): LimitBound {
  const [requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency] = limits;
  const decoded: RateLimits = {
    requestsPerMinute: decodeLimit(requestsPerMinute),
    tokensPerMinute: decodeLimit(tokensPerMinute),
    requestsPerDay: decodeLimit(requestsPerDay),
    concurrency: decodeLimit(concurrency),
  };
  return { id, of, part, limits: decoded };
}

export function encodeLevels({ requests, tokens, dayRequests, running }: Readonly<LimitState>): WireLevels {
  return [encodeLimit(requests), encodeLimit(tokens), encodeLimit(dayRequests), running];
}

export function decodeLevels([requests, tokens, dayRequests, running]: WireLevels, now: number): LimitState {
  return {
    requests: decodeLimit(requests),
    tokens: decodeLimit(tokens),
    dayRequests: decodeLimit(dayRequests),
    running,
    updatedAt: now,
  };
}

/** A string where it is more than a number of JSON holds exactly. */
export function encodeCost(costNano: bigint): number | WireCost {
  const cost = Number(costNano);
  return Number.isSafeInteger(cost) ? cost : String(costNano);
}

/** Calls `charge` for each of the charges. */
export function decodeCharges(
  charges: WireCharges,
  charge: (costNano: bigint, at: number, ended: number) => void,
): void {
  for (let index = 0; index < charges.length; index += 3)
    charge(BigInt(charges[index] ?? 0), Number(charges[index + 1]), Number(charges[index + 2]));
}

export function encodeSpender({ accountId, keyId, memberId, hasAllowance }: Spender): WireSpender {
  return [accountId, keyId, memberId, hasAllowance];
}

export function decodeSpender([accountId, keyId, memberId, hasAllowance]: WireSpender): Spender {
  return { accountId, keyId, memberId, hasAllowance };
}

export function encodeBudget(budget: SpendBound): WireBudget {
  return JSON.stringify(budget, (_name, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value === Infinity ? null : value;
  });
}

/** @param budget the result of `encodeBudget` */
export function decodeBudget(budget: WireBudget): SpendBound {
  return JSON.parse(budget, (name, value: unknown) => {
    if (name === 'amountNano' || name === 'laterNano') return BigInt(String(value));
    return name === 'end' && value === null ? Infinity : value;
  });
}

export function decodeState({ period: [start, end], spent, reserved }: NonNullable<Replies['state']>): BudgetState {
  return { period: { start, end: decodeLimit(end) }, spentNano: BigInt(spent), reservedNano: BigInt(reserved) };
}

export function indexesOf(bounds: readonly LimitBound[], ids: ReadonlySet<string>): readonly number[] {
  return [...bounds.keys()].filter((index) => ids.has(bounds[index]?.id ?? ''));
}
