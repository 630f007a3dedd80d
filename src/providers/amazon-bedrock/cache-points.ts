import type { JsonObject } from '../../protocols/canonical/json-members.ts';
import type { PromptCaching } from '../bridge/prompt-caching.ts';

/** Claude models that refuse cache points. Newer ones accept them. */
const uncachedClaude = /anthropic\.claude-(?:v\d|instant|3-(?:haiku|sonnet|opus)|3-5-sonnet)/;
/** Claude models that keep a prompt for five minutes only. */
const shortLivedClaude = /anthropic\.claude-(?:3-|(?:opus|sonnet)-4-(?:\d{8}|1-))/;
const claude = /(?:^|[./])anthropic\.claude-/;
const nova = /(?:^|[./])amazon\.nova-(?:micro|lite|pro|premier|2-lite)/;

/**
 * Cache points of the Converse API; null for a model that refuses them. Nova caches instructions and messages only, and the
 * package marks no tools: those precede the instructions. Source: docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html,
 * "Supported models, Regions, and limits".
 */
export function cachePoints(model: string, isAutomatic: boolean): PromptCaching | null {
  const isClaude = claude.test(model);
  if (isClaude ? uncachedClaude.test(model) : !nova.test(model)) return null;
  const hasHour = isClaude && !shortLivedClaude.test(model);
  return {
    isAutomatic,
    marksTools: false,
    mark: ({ ttl }: JsonObject) => ({
      amazonBedrock: { cachePoint: { type: 'default', ...(hasHour && ttl === '1h' && { ttl: '1h' }) } },
    }),
  };
}
