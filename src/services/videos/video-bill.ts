import { compileRates, costNano } from '../../catalogue/prices/price.ts';
import type { TokenRates } from '../../catalogue/prices/token-rates.ts';
import type { MediaUse } from '../../catalogue/prices/unit-price.ts';
import { mediaUsage } from '../../catalogue/prices/priced-usage.ts';
import type { Video } from '../../database/entities/index.ts';
import { usageDay } from '../../calendar/usage-day.ts';
import type { UsageRecord } from '../../gateway/usage/usage-record.ts';

/** The billed length if neither the request nor the provider states one; marked as estimated. */
const ASSUMED_SECONDS = 5;

type Made = Pick<Video, 'seconds' | 'size' | 'quality' | 'rates' | 'markupPpm'>;

/** Nano-USD, by the prices of the day on which it was created. */
export function videoCost(made: Made): bigint {
  const { rates, markupPpm } = made;
  return rates === null ? 0n : costNano(compileRates(rates), mediaUsage([videoUse(made)]), markupPpm ?? 0);
}

/**
 * The usage record that bills a completed video, dated at its completion. Built from immutable data: the same at every call.
 */
export function videoBill(video: Video): UsageRecord {
  const { completedAt, billEventId, costNano: cost } = video;
  if (completedAt === null || billEventId === null || cost === null)
    throw new Error('a video that is not completed cannot be billed');
  const durationMs = completedAt.getTime() - video.createdAt.getTime();
  return {
    event_id: billEventId,
    began_at: completedAt.toISOString(),
    ...usageDay(video.account.timeZone, completedAt.getTime()),
    account_id: video.account.id,
    api_key_id: video.apiKeyId,
    member_id: video.memberId,
    capability: 'video',
    model: video.model,
    requested_model: video.requestedModel,
    provider: video.provider,
    status: 'succeeded',
    http_status: 200,
    error_code: null,
    streamed: false,
    estimated: video.estimated,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    // The request that created it has its own record.
    units: { media: [videoUse(video)], requests: 0 },
    cost_nano: String(cost),
    price_version: video.priceVersion,
    rates: video.rates,
    markup_ppm: video.markupPpm,
    finish_reason: null,
    duration_ms: durationMs,
    first_token_ms: null,
    end_user: null,
    tags: video.tags,
    ...placeInSession(video),
    attempts: [
      {
        provider: video.provider,
        model: video.upstreamModel,
        status: 200,
        error: null,
        duration_ms: durationMs,
      },
    ],
  };
}

/** In the session and the trace of the request that created it, as a part of that request. */
function placeInSession({ id, sessionId, traceId }: Video): Partial<UsageRecord> {
  if (sessionId === null && traceId === null) return {};
  return { session_id: sessionId, parent_id: `req_${id.replaceAll('-', '')}`, trace_id: traceId };
}

function videoUse({ seconds, size: made, quality, rates }: Made): MediaUse {
  const size = pricedSize(rates, made);
  return {
    unit: 'video_second',
    quantity: seconds ?? ASSUMED_SECONDS,
    ...(size !== null && { size }),
    ...(quality !== null && { quality }),
  };
}

/** The most common size of providers that report none. */
const DEFAULT_SIZE = '1280x720';

/**
 * The size by which a video is priced: its own, also rotated, or the priced size that is nearest in pixels. Prices list only
 * some sizes, and none is free. Null if the price does not depend on the size.
 */
function pricedSize(rates: TokenRates | null, size: string | null): string | null {
  const prices = (rates?.units ?? []).filter(({ unit }) => unit === 'video_second');
  const sizes = prices.flatMap((price) => (price.size === undefined ? [] : [price.size]));
  const made = size ?? DEFAULT_SIZE;
  const same = [made, made.split('x').toReversed().join('x')].find((each) => sizes.includes(each));
  if (same !== undefined || sizes.length < prices.length || sizes.length === 0) return same ?? size;
  const away = (other: string): number => Math.abs(pixels(other) - pixels(made));
  return sizes.toSorted((a, b) => away(a) - away(b))[0] ?? size;
}

function pixels(size: string): number {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return width * height;
}
