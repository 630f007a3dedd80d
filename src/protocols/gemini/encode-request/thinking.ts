import type { ReasoningEffort } from '../../canonical/generation-request.ts';
import type { ModelTraits } from '../model-traits.ts';

/** Source: ai.google.dev/api/generate-content, ThinkingConfig. */
export interface ThinkingConfig {
  readonly includeThoughts?: true;
  readonly thinkingLevel?: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  /** In tokens; 0 turns thinking off. */
  readonly thinkingBudget?: number;
}

/** The values of Google's own OpenAI-compatible API. Source: ai.google.dev/gemini-api/docs/openai, "Thinking". */
const budgets = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576 } as const;

/**
 * Encodes the reasoning effort. Requested reasoning is included in the response.
 * @returns undefined if nothing has to be sent, null if the model does not support the effort
 */
export function thinkingConfig(effort: ReasoningEffort, { thinking }: ModelTraits): ThinkingConfig | null | undefined {
  if (thinking === null) return effort === 'none' ? undefined : null;
  if (effort === 'none') return thinking.by === 'budget' && thinking.min === 0 ? { thinkingBudget: 0 } : null;
  const beyondHigh = effort === 'xhigh' || effort === 'max';
  if (thinking.by === 'budget')
    return { includeThoughts: true, thinkingBudget: beyondHigh ? thinking.max : budgets[effort] };
  if (beyondHigh) return { includeThoughts: true, thinkingLevel: thinking.max };
  return { includeThoughts: true, thinkingLevel: effort === 'minimal' ? thinking.min : effort };
}
