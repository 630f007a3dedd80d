import { z } from 'zod';
import { moderationCategories } from '../../gateway/capabilities/moderation/categories.ts';
import { jsonOperation } from './json-operation.ts';

export const moderations = jsonOperation(
  {
    operationId: 'createModeration',
    summary: 'Moderation',
    description: 'Judges texts and pictures. Each text has a result; the parts of one input have one together.',
    tags: ['Moderation'],
  },
  'ModerationRequest',
  'ModerationList',
);

const each = <Value extends z.ZodType>(value: Value, description: string) =>
  z
    .looseObject(Object.fromEntries(moderationCategories.map((name) => [name, value])))
    .describe(`${description} A provider’s own categories stand beside OpenAI’s.`);

/** Source: OpenAI's API document, CreateModerationResponse. */
export const moderationAnswerSchema = z.looseObject({
  id: z.string(),
  model: z.string(),
  results: z.array(
    z.looseObject({
      flagged: z.boolean().describe('Whether any of OpenAI’s categories is.'),
      categories: each(z.boolean(), 'Whether it is flagged for each.'),
      category_scores: each(z.number(), 'From 0 to 1.'),
      category_applied_input_types: each(
        z.array(z.enum(['text', 'image'])),
        'What each was looked for in; empty where it was not.',
      ),
    }),
  ),
});
