import { explainCost, type CostStep } from '../../catalogue/prices/explain-cost.ts';
import { compileRates, costNano } from '../../catalogue/prices/price.ts';
import type { PricedTokens, TokenRates } from '../../catalogue/prices/token-rates.ts';
import type { MediaUse } from '../../catalogue/prices/unit-price.ts';
import { tokenUsage } from '../../catalogue/prices/priced-usage.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ComparisonWorkload } from './compare-models.types.ts';

/** Keeps the total cost within a readable range. */
const MAX_REQUESTS = 1_000_000_000_000;

/** Usage of one request of a workload. @throws SluiceError bad_user_input */
export function usagePerRequest(workload: ComparisonWorkload): PricedTokens {
  const { requests, inputTokens, outputTokens, cachedTokens, reasoningTokens } = workload;
  const { images, imageSize, imageQuality, audioSeconds, videoSeconds, characters } = workload;
  const amounts = { inputTokens, outputTokens, cachedTokens, reasoningTokens, images, audioSeconds, videoSeconds };
  for (const [name, amount] of Object.entries({ ...amounts, characters }))
    if (!(amount >= 0 && amount <= 2 ** 31)) throw bad(name, 'must be from 0 to 2^31');
  if (requests > MAX_REQUESTS) throw bad('requests', `must be at most ${MAX_REQUESTS}`);
  if (cachedTokens > inputTokens) throw bad('cachedTokens', 'must not exceed `inputTokens`');
  if (reasoningTokens > outputTokens) throw bad('reasoningTokens', 'must not exceed `outputTokens`');
  const media: MediaUse[] = [
    {
      unit: 'image',
      quantity: images,
      ...(imageSize && { size: imageSize }),
      ...(imageQuality && { quality: imageQuality }),
    },
    { unit: 'audio_second', quantity: audioSeconds },
    { unit: 'video_second', quantity: videoSeconds },
    { unit: 'character', quantity: characters },
  ];
  const used = media.filter(({ quantity }) => quantity > 0);
  return {
    ...tokenUsage(inputTokens, outputTokens),
    cachedTokens,
    reasoningTokens,
    ...(used.length > 0 && { media: used }),
  };
}

/** Total cost in nano-USD; `steps` are those of one request. */
export function workloadCost(
  rates: TokenRates,
  used: PricedTokens,
  requests: number,
  markupPpm: number,
): { readonly costNano: bigint; readonly steps: readonly CostStep[] } {
  const each = costNano(compileRates(rates), used, markupPpm);
  return { costNano: each * BigInt(requests), steps: explainCost(rates, used, markupPpm) };
}

function bad(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
