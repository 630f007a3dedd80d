import { cacheSavings } from '../../../catalogue/prices/explain-cost.ts';
import { compileRates, costNano } from '../../../catalogue/prices/price.ts';
import { tokenUsage } from '../../../catalogue/prices/priced-usage.ts';
import type { PricedTokens, TokenRates } from '../../../catalogue/prices/token-rates.ts';

/** What the providers' prompt caches and the response cache did for some requests. */
export interface CacheUse {
  /** Requests of which a part of the input was read from a prompt cache. */
  readonly promptCacheRequests: number;
  /** Compared with the same requests without a cache. Negative if writing to it cost more. */
  readonly promptCacheSavingsNano: bigint;
  /** Requests with a response from the response cache. */
  readonly responseCacheRequests: number;
  /** At the rates of the latest billed request of the model. */
  readonly responseCacheSavingsNano: bigint;
}

/** Rates of a billed request. */
export interface BilledRates {
  readonly rates: TokenRates;
  readonly markup_ppm: number | null;
}

/** Usage of the requests of an interval that used a cache and have the same rates. */
export interface CacheGroupRow {
  readonly slot: number;
  /** Whether the response cache was used. */
  readonly is_response: boolean;
  readonly model: string;
  /** The rates that apply to the length of their input. Null without a price. */
  readonly band: TokenRates | null;
  readonly markup_ppm: number | null;
  readonly requests: string;
  readonly reads: string;
  readonly input_tokens: string;
  readonly output_tokens: string;
  readonly cached_tokens: string;
  readonly reasoning_tokens: string;
  readonly cache_write_tokens: string;
  readonly cache_write_1h_tokens: string;
  readonly audio_input_tokens: string;
  readonly audio_output_tokens: string;
  readonly image_input_tokens: string;
  readonly image_output_tokens: string;
}

/** The price version of responses from the response cache. */
const CACHED = 'cached';

const units = {
  cache_write_tokens: 'cacheWriteTokens',
  cache_write_1h_tokens: 'cacheWrite1hTokens',
  audio_input_tokens: 'audioInputTokens',
  audio_output_tokens: 'audioOutputTokens',
  image_input_tokens: 'imageInputTokens',
  image_output_tokens: 'imageOutputTokens',
} as const;

/** Rates depend on the length of the input, as in `costNano`: rows with the same band can be added up. */
const band = `coalesce(
  (
    select tier from jsonb_array_elements(coalesce(rates -> 'tiers', case when rates ? 'longInput' then jsonb_build_array(rates -> 'longInput') end)) as tier
    where coalesce((units ->> 'longestInput')::bigint, input_tokens) > (tier ->> 'aboveTokens')::bigint
    order by (tier ->> 'aboveTokens')::bigint desc limit 1
  ),
  rates - 'tiers' - 'longInput'
)`;

/** @param rows SQL of a table with the columns of the log, and `slot` */
export function cacheGroupsSql(rows: string): string {
  const tokens = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens'];
  const sums = [
    ...tokens.map((name) => `sum(${name}) as ${name}`),
    ...Object.entries(units).map(([name, unit]) => `coalesce(sum((units ->> '${unit}')::bigint), 0) as ${name}`),
  ];
  return `select slot, is_response, model, band, markup_ppm, count(*) as requests,
      count(*) filter (where cached_tokens > 0) as reads, ${sums.join(', ')}
    from (
      select slot, price_version = '${CACHED}' as is_response, model, ${band} as band, markup_ppm, units,
        ${tokens.join(', ')}
      from ${rows}
      where price_version = '${CACHED}' or cached_tokens > 0 or (units ->> 'cacheWriteTokens')::bigint > 0
    ) as used
    group by slot, is_response, model, band, markup_ppm`;
}

export function cacheUseOf(groups: readonly CacheGroupRow[], billed: ReadonlyMap<string, BilledRates>): CacheUse {
  const use = {
    promptCacheRequests: 0,
    promptCacheSavingsNano: 0n,
    responseCacheRequests: 0,
    responseCacheSavingsNano: 0n,
  };
  for (const group of groups)
    if (group.is_response) {
      use.responseCacheRequests += Number(group.requests);
      use.responseCacheSavingsNano += costWithoutCache(group, billed.get(group.model));
    } else {
      use.promptCacheRequests += Number(group.reads);
      if (group.band !== null)
        use.promptCacheSavingsNano += cacheSavings(group.band, usageOf(group), group.markup_ppm ?? 0) ?? 0n;
    }
  return use;
}

function costWithoutCache(group: CacheGroupRow, billed: BilledRates | undefined): bigint {
  if (billed === undefined) return 0n;
  const requests = Number(group.requests);
  // The requests are priced by the mean length of their input, and each pays the price of a request.
  const longestInput = Math.round(Number(group.input_tokens) / requests);
  const used = { ...usageOf(group), longestInput, calls: requests };
  return costNano(compileRates(billed.rates), used, billed.markup_ppm ?? 0);
}

function usageOf(group: CacheGroupRow): PricedTokens {
  return {
    ...tokenUsage(Number(group.input_tokens), Number(group.output_tokens)),
    cachedTokens: Number(group.cached_tokens),
    reasoningTokens: Number(group.reasoning_tokens),
    cacheWriteTokens: Number(group.cache_write_tokens),
    cacheWrite1hTokens: Number(group.cache_write_1h_tokens),
    audioInputTokens: Number(group.audio_input_tokens),
    audioOutputTokens: Number(group.audio_output_tokens),
    imageInputTokens: Number(group.image_input_tokens),
    imageOutputTokens: Number(group.image_output_tokens),
  };
}
