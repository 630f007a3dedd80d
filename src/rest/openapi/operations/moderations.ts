import { z } from 'zod';
import { moderationCategories } from '../../../gateway/capabilities/moderation/categories.ts';
import { jsonOperation } from './json-operation.ts';

export const moderations = jsonOperation(
  {
    operationId: 'createModeration',
    summary: 'Create a moderation',
    description:
      'Classifies texts and images as harmful or not. Each text has its own result; the parts of a multimodal input share one.',
    tags: ['Moderation'],
  },
  'ModerationRequest',
  'ModerationList',
);

const each = <Value extends z.ZodType>(value: Value, description: string) =>
  z
    .looseObject(Object.fromEntries(moderationCategories.map((name) => [name, value])))
    .describe(`${description} May contain categories of the provider in addition to OpenAI’s.`);

/** Source: OpenAI's API document, CreateModerationResponse. */
export const moderationAnswerSchema = z.looseObject({
  id: z.string(),
  model: z.string(),
  results: z.array(
    z.looseObject({
      flagged: z.boolean().describe('Whether any of OpenAI’s categories is flagged.'),
      categories: each(z.boolean(), 'Whether each category is flagged.'),
      category_scores: each(z.number(), 'Score of each category, from 0 to 1.'),
      category_applied_input_types: each(
        z.array(z.enum(['text', 'image'])),
        'The input types that each category was applied to. Empty if it was not applied.',
      ),
    }),
  ),
});
