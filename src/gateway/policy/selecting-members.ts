import { SluiceError } from '../../errors/index.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { spendingBound } from './allowed-targets.ts';

/**
 * Members other than `model` that select another model or price at a provider or a router behind it. Sources:
 * OpenRouter's reference (`models`, `route`, `provider`, `plugins`, `preset`), Anthropic's (`speed`, `inference_geo`,
 * `fallbacks`), Alibaba's (`enable_search`, which is billed and not part of the usage).
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
/** The same for chats only, with the values that change nothing. */
const ofChats: Readonly<Record<string, readonly string[]>> = {
  speed: ['standard'],
  inference_geo: ['global'],
  enable_search: ['false'],
};
/** Service tiers that cost no more than the default one. */
const usualTiers: readonly unknown[] = ['auto', 'default', 'flex', 'standard_only'];

/**
 * Rejects such members for a key with restricted models or spending, unless its account pays the provider itself.
 * @param value the request as parsed from JSON or a form
 * @throws SluiceError member_not_priced
 */
export function refuseSelecting(key: KeyRecord, route: ResolvedRoute, capability: string, value: unknown): void {
  if (!isObject(value)) return;
  const bound = spendingBound(key) ?? modelBound(key);
  if (bound === null) return;
  const charged = route.listed.filter(({ connection }) => connection.billed && connection.id === connection.provider);
  if (charged.length === 0) return;
  const param = selectingMember(value, capability) ?? unpricedTier(value, charged);
  if (param !== null) throw new SluiceError('member_not_priced', { values: { param, bound }, param });
}

/** The path of the first such member; null for none. */
function selectingMember(value: Readonly<Record<string, unknown>>, capability: string): string | null {
  const named = selecting.find((name) => isGiven(value[name]));
  if (named !== undefined) return named;
  if (capability !== 'chat') return null;
  const [special] =
    Object.entries(ofChats).find(([name, usual]) => isGiven(value[name]) && !usual.includes(String(value[name]))) ?? [];
  return special ?? routedGeneration(value) ?? toolsModel(value.tools) ?? feeOfTool(value.tools);
}

/** Members of `generationConfig` with which Vertex AI selects a model. Source: its reference of GenerationConfig. */
const routing = ['routingConfig', 'routing_config', 'modelConfig', 'model_config'];

function routedGeneration(value: Readonly<Record<string, unknown>>): string | null {
  for (const member of ['generationConfig', 'generation_config']) {
    const config = value[member];
    const name = isObject(config) ? routing.find((each) => isGiven(config[each])) : undefined;
    if (name !== undefined) return `${member}.${name}`;
  }
  return null;
}

/** Tools that a provider runs for a fee which is not part of the usage. Sources: OpenAI's and Anthropic's prices. */
const withFee = /^(?:code_interpreter|file_search|image_generation|code_execution_\d+)$/;

function feeOfTool(tools: unknown): string | null {
  if (!Array.isArray(tools)) return null;
  const at = tools.findIndex((tool) => isObject(tool) && (withFee.test(String(tool.type)) || runsInContainer(tool)));
  return at < 0 ? null : `tools[${at}].type`;
}

/** A shell of the provider's, not of the client's. */
function runsInContainer({ type, environment }: Readonly<Record<string, unknown>>): boolean {
  return type === 'shell' && isObject(environment) && environment.type !== 'local';
}

/** A provider's own tool may call a model: `tools[0].model`. The schema of a function is free content. */
function toolsModel(tools: unknown): string | null {
  if (!Array.isArray(tools)) return null;
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue;
    if (isGiven(tool.model)) return `tools[${index}].model`;
    if (tool.type === 'function' || tool.type === 'custom') continue;
    const within = Object.entries(tool).find(([, member]) => isObject(member) && isGiven(member.model));
    if (within) return `tools[${index}].${within[0]}.model`;
  }
  return null;
}

/** The path of a service tier whose price is not known; null for none. */
function unpricedTier(
  { service_tier: tier }: Readonly<Record<string, unknown>>,
  charged: readonly Target[],
): string | null {
  if (!isGiven(tier) || usualTiers.includes(tier)) return null;
  const isPriced = tier === 'priority' && charged.every(({ ratesByTier }) => ratesByTier?.has('priority') === true);
  return isPriced ? null : 'service_tier';
}

function modelBound({ allowedModels, plan, partLimits }: KeyRecord): string | null {
  if (allowedModels !== null) return 'this key is restricted to some models';
  if (plan.models !== null) return `the plan ${plan.id} is restricted to some models`;
  return partLimits && partLimits.models.size > 0 ? 'this key has limits for some models' : null;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
