/** The model whose spend counts toward the scripted budget. */
export const BUDGET_MODEL = 'sandbox/budget';
