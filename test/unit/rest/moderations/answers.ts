import {
  moderationCategories,
  type ModerationCategory,
} from '../../../../src/providers/shared/moderation/moderation-result.ts';

/** OpenAI's answer to one input, flagged for these. */
export function moderated(...flagged: readonly ModerationCategory[]): object {
  const of = <Value>(value: (category: ModerationCategory) => Value): Record<string, Value> =>
    Object.fromEntries(moderationCategories.map((category) => [category, value(category)]));
  const result = {
    flagged: flagged.length > 0,
    categories: of((category) => flagged.includes(category)),
    category_scores: of((category) => (flagged.includes(category) ? 0.97 : 0.0002)),
    category_applied_input_types: of(() => ['text']),
  };
  return { id: 'modr-fake', model: 'omni-moderation-latest', results: [result] };
}
