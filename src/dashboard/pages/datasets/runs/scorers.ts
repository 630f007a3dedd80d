import type { DatasetScorer } from '../../../generated/graphql.ts';

/** In the order of the form. A judge is selected by its model. */
export const allScorers = [
  'EXACT_MATCH',
  'CONTAINS',
  'JSON_VALID',
  'JSON_MATCH',
  'TOOL_CALLS_MATCH',
] as const satisfies readonly DatasetScorer[];

interface Scorer {
  readonly title: string;
  readonly explanation: string;
}

const scorers: Readonly<Record<DatasetScorer, Scorer>> = {
  EXACT_MATCH: {
    title: 'Exact match',
    explanation: 'The text equals the expected text, apart from whitespace.',
  },
  CONTAINS: { title: 'Contains', explanation: 'The text contains the expected text, apart from whitespace.' },
  JSON_VALID: { title: 'Valid JSON', explanation: 'The text is JSON. No expected output is needed.' },
  JSON_MATCH: { title: 'JSON match', explanation: 'The text is JSON that equals the expected JSON.' },
  TOOL_CALLS_MATCH: {
    title: 'Tool calls match',
    explanation: 'The same functions are called with the same arguments, in any order.',
  },
  JUDGE: { title: 'Judge', explanation: 'A model scores the output by a rubric.' },
};

export function scorerTitle(scorer: DatasetScorer): string {
  return scorers[scorer].title;
}

export function scorerExplanation(scorer: DatasetScorer): string {
  return scorers[scorer].explanation;
}
