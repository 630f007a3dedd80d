/** Budgets from which an effort is said to be higher. */
const MEDIUM_BUDGET_TOKENS = 4_096;
const HIGH_BUDGET_TOKENS = 16_384;

/** The `reasoning_effort` of a budget of thinking tokens, for providers that take no budget. */
export function effortOfBudget(tokens: number): 'low' | 'medium' | 'high' {
  if (tokens < MEDIUM_BUDGET_TOKENS) return 'low';
  return tokens < HIGH_BUDGET_TOKENS ? 'medium' : 'high';
}
