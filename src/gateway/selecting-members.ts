import { SluiceError } from '../errors/index.ts';
import { isObject } from './capabilities/fault.ts';
import type { KeyRecord } from './key-directory.ts';
import type { ResolvedRoute } from './routing/resolved-route.ts';
import type { Target } from './routing/target.ts';
import { spendingBound } from './unpriced.ts';

/**
 * Members beside `model` by which a provider, or a router behind it, chooses another model or another price. Sources: OpenRouter's
 * reference (`models`, `route`, `provider`, `plugins`, `preset`), Anthropic's (`speed`, `inference_geo`, `fallbacks`), Alibaba's
 * (`enable_search`, which is paid for and in no usage).
 */
const selecting: readonly string[] = [
  'models',
  'route',
  'provider',
  'plugins',
  'preset',
  'fallbacks',
  'fallback_models',
];
/** The same of chats alone, with the values that change nothing. */
const ofChats: Readonly<Record<string, readonly string[]>> = {
  speed: ['standard'],
  inference_geo: ['global'],
  enable_search: ['false'],
};
/** Classes of service that cost no more than the usual one. */
const usualTiers: readonly unknown[] = ['auto', 'default', 'flex', 'standard_only'];

/**
 * A key that is bound to models or to what it may spend names a model and a price by `model` alone, unless its account pays the
 * provider itself.
 * @param value the request as it was parsed from JSON or a form
 * @throws SluiceError member_not_priced
 */
export function refuseSelecting(key: KeyRecord, plan: ResolvedRoute, capability: string, value: unknown): void {
  if (!isObject(value)) return;
  const bound = spendingBound(key) ?? modelBound(key);
  if (bound === null) return;
  const charged = plan.listed.filter(({ connection }) => connection.billed && connection.id === connection.provider);
  if (charged.length === 0) return;
  const param = selectingMember(value, capability) ?? unpricedTier(value, charged);
  if (param !== null) throw new SluiceError('member_not_priced', { values: { param, bound }, param });
}

/** The path of the first; null where there is none. */
function selectingMember(value: Readonly<Record<string, unknown>>, capability: string): string | null {
  const named = selecting.find((name) => isSaid(value[name]));
  if (named !== undefined) return named;
  if (capability !== 'chat') return null;
  const [special] =
    Object.entries(ofChats).find(([name, usual]) => isSaid(value[name]) && !usual.includes(String(value[name]))) ?? [];
  return special ?? toolsModel(value.tools);
}

/** A tool of a provider's own may call a model: `tools[0].model`. What stands in a function's schema is the caller's. */
function toolsModel(tools: unknown): string | null {
  if (!Array.isArray(tools)) return null;
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue;
    if (isSaid(tool.model)) return `tools[${index}].model`;
    if (tool.type === 'function' || tool.type === 'custom') continue;
    const within = Object.entries(tool).find(([, member]) => isObject(member) && isSaid(member.model));
    if (within) return `tools[${index}].${within[0]}.model`;
  }
  return null;
}

/** A class of service that may cost more than is known. */
function unpricedTier(
  { service_tier: tier }: Readonly<Record<string, unknown>>,
  charged: readonly Target[],
): string | null {
  if (!isSaid(tier) || usualTiers.includes(tier)) return null;
  const isPriced = tier === 'priority' && charged.every(({ ratesByTier }) => ratesByTier?.has('priority') === true);
  return isPriced ? null : 'service_tier';
}

function modelBound({ allowedModels, plan, partLimits }: KeyRecord): string | null {
  if (allowedModels !== null) return 'this key may use some models alone';
  if (plan.models !== null) return `the plan ${plan.id} includes some models alone`;
  return partLimits && partLimits.models.size > 0 ? 'this key has limits for some models' : null;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}
