import type { GenerationRequest, ReasoningEffort } from '../../canonical/generation-request.ts';
import { callsWithoutThinking, hasThinking, type Conversation } from './conversation.ts';
import { isObject, type JsonObject } from '../../canonical/json-members.ts';
import type { ModelTraits } from '../model-traits.ts';
import { forcesTool } from './tools.ts';

/** Anthropic's minimum. */
const MIN_BUDGET = 1_024;

/** Tokens of thinking, for models with a budget. Anthropic states that budgets above 32,000 are rarely used up. */
const budgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: MIN_BUDGET,
  low: 4_096,
  medium: 12_288,
  high: 24_576,
  xhigh: 32_000,
  max: 48_000,
};

/** The maximum share of `max_tokens`, which covers thinking and answer in both APIs. */
const MAX_SHARE = 0.8;

export interface Thinking {
  readonly thinking?: JsonObject;
  /** `output_config.effort`. */
  readonly effort?: string;
  /** Whether thinking is enabled, which excludes a temperature. */
  readonly isOn: boolean;
  /** Whether `reasoning_effort` has its requested effect. */
  readonly isSupported: boolean;
  readonly needsBindingControls: boolean;
}

/**
 * Encodes `reasoning_effort`. The client's own `thinking` has precedence.
 * Source: platform.claude.com/docs/en/build-with-claude/thinking, /effort and /preserved-thinking/prefix-checks.
 */
export function thinkingOf(
  request: GenerationRequest,
  traits: ModelTraits,
  conversation: Conversation,
  maxTokens: number,
): Thinking {
  const { thinking: explicit } = request;
  const requested = isObject(explicit)
    ? effortBeside(request, traits)
    : asEffort(request, traits, conversation, maxTokens);
  const thinking = isObject(explicit) ? explicit : requested.thinking;
  const isOn = thinking !== undefined && thinking.type !== 'disabled';
  const needsBindingControls =
    !isObject(explicit) && traits.bindsThinking && thinking?.type !== 'disabled' && hasThinking(conversation);
  if (!needsBindingControls) return { ...requested, ...(thinking && { thinking }), isOn, needsBindingControls };
  // Clients of OpenAI's API edit their conversations freely. Thinking that no longer matches is dropped; otherwise Anthropic
  // would reject the request.
  const bound = { ...thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } };
  return { ...requested, thinking: bound, isOn, needsBindingControls };
}

type RequestedThinking = Pick<Thinking, 'thinking' | 'effort' | 'isSupported'>;

function effortBeside({ reasoning_effort: effort }: GenerationRequest, traits: ModelTraits): RequestedThinking {
  if (!effort) return { isSupported: true };
  if (effort === 'none' || traits.thinking !== 'adaptive') return { isSupported: false };
  return { effort: effortName(effort, traits), isSupported: true };
}

function asEffort(
  request: GenerationRequest,
  traits: ModelTraits,
  conversation: Conversation,
  maxTokens: number,
): RequestedThinking {
  const { reasoning_effort: effort } = request;
  if (!effort) return { isSupported: true };
  if (effort === 'none') return withoutThinking(traits);
  if (traits.thinking === 'none') return { isSupported: false };
  // Some models omit their thinking otherwise.
  if (traits.thinking === 'adaptive')
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      effort: effortName(effort, traits),
      isSupported: true,
    };
  const budget = budgetOf(effort, maxTokens);
  if (budget === null || forcesTool(request) || callsWithoutThinking(conversation)) return { isSupported: false };
  return { thinking: { type: 'enabled', budget_tokens: budget }, isSupported: true };
}

function withoutThinking(traits: ModelTraits): RequestedThinking {
  if (traits.thinking === 'none') return { isSupported: true };
  return traits.canStopThinking
    ? { thinking: { type: 'disabled' }, isSupported: true }
    : { effort: 'low', isSupported: false };
}

function effortName(effort: Exclude<ReasoningEffort, 'none'>, traits: ModelTraits): string {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' && !traits.supportsXhigh ? 'high' : effort;
}

/** Null if `maxTokens` is too small for thinking. */
function budgetOf(effort: Exclude<ReasoningEffort, 'none'>, maxTokens: number): number | null {
  if (maxTokens <= MIN_BUDGET) return null;
  return Math.max(MIN_BUDGET, Math.min(budgets[effort], Math.floor(maxTokens * MAX_SHARE)));
}
