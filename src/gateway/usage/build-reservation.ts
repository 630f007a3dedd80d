import { maxCostUsage } from '../../catalogue/prices/max-cost-usage.ts';
import { costNano, type CompiledRates } from '../../catalogue/prices/price.ts';
import type { Call } from '../call.ts';
import { tokenUsage, type Capability, type TokenUsage } from '../capabilities/capability.ts';
import type { Reservation, LimitBound } from '../limits/limit-store.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { estimateTokens } from '../request-input.ts';

/** Estimates assume four bytes per token; some texts have one token per byte. */
const MAX_TOKENS_PER_ESTIMATED_TOKEN = 4;

export interface ExpectedTokens {
  /** Estimated. */
  readonly input: number;
  readonly output: number;
  /** Bytes of text that the outline lacks: each may be a token. */
  readonly unread: number;
}

/**
 * The reservation of a request: against budgets, its maximum cost at any target.
 * @param at admission time, in milliseconds since the epoch
 */
export function buildReservation<Request, Summary>(
  capability: Capability<Request, Summary>,
  { key, eventId }: Call,
  route: ResolvedRoute,
  request: Request,
  expected: ExpectedTokens,
  bounds: readonly LimitBound[],
  at: number,
): Reservation {
  const costs = key.budgets.length === 0 ? 0n : maxCost(capability, route, request, expected, key.plan.markupPpm);
  const repeated = estimateTokens(capability.repeatedBytes?.(request) ?? 0);
  const tokens = expected.input + repeated + expected.output;
  // With all members from the beginning, objects keep their shape.
  return { eventId, at, bounds, tokens, costNano: costs, lease: undefined };
}

function maxCost<Request, Summary>(
  capability: Capability<Request, Summary>,
  route: ResolvedRoute,
  request: Request,
  { input, output, unread }: ExpectedTokens,
  markupPpm: number,
): bigint {
  const targets = route.larger === null ? route.listed : [...route.listed, route.larger];
  const costs = targets.map((target) => {
    const read =
      capability.maxUsage?.(request, target.maxOutputTokens) ??
      tokenUsage(input * MAX_TOKENS_PER_ESTIMATED_TOKEN, output);
    const tokens = withImplicitSearches({ ...read, inputTokens: read.inputTokens + unread }, target);
    const pricing = { costOf: (used: TokenUsage) => maxCostAt(target, used, markupPpm) };
    const media = capability.usageWithoutResponse?.(capability.summarize(request), input, pricing);
    return larger(pricing.costOf(tokens), media === undefined ? 0n : pricing.costOf(media));
  });
  return costs.reduce(larger, 0n);
}

/** Some models search the web without being asked, in each call. */
function withImplicitSearches(used: TokenUsage, { connection, upstreamModel }: Target): TokenUsage {
  const searches = (connection.maxImplicitSearches?.(upstreamModel) ?? 0) * (used.calls ?? 1);
  const isIncluded = used.media?.some(({ unit, quantity }) => unit === 'search' && quantity >= searches) === true;
  if (searches === 0 || isIncluded) return used;
  const others = used.media?.filter(({ unit }) => unit !== 'search') ?? [];
  return { ...used, media: [...others, { unit: 'search', quantity: searches }] };
}

/** The maximum cost over all kinds of its tokens and media, and all service tiers. */
function maxCostAt({ rates, ratesByTier }: Target, used: TokenUsage, markupPpm: number): bigint {
  if (rates === null) return 0n;
  const { inputTokens, outputTokens } = used;
  const kinds = [
    used,
    { ...used, cacheWriteTokens: inputTokens },
    { ...used, cacheWriteTokens: inputTokens, cacheWrite1hTokens: inputTokens },
  ].flatMap((kind) => [kind, { ...kind, reasoningTokens: outputTokens }]);
  const all = [rates, ...(ratesByTier === null ? [] : [...ratesByTier.values()].map((tier) => tier.rates))];
  return all
    .flatMap((each) => kinds.map((kind) => costNano(each, withMaxCostMedia(each, kind), markupPpm)))
    .reduce(larger, 0n);
}

function withMaxCostMedia(rates: CompiledRates, used: TokenUsage): TokenUsage {
  return used.media === undefined ? used : { ...used, media: used.media.map((use) => maxCostUsage(rates, use)) };
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
