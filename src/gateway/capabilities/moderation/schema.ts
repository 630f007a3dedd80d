import { z } from 'zod';
import { modelNameSchema } from '../common-members.ts';
import { explainedPattern } from '../validation-scalars.ts';

const text = z.string();

const textPart = z.strictObject({ type: z.literal('text'), text }).meta({ id: 'ModerationTextPart' });

const imagePart = z
  .strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({
      url: z
        .string()
        .regex(
          explainedPattern(
            /^([hH][tT]{2}[pP][sS]?|[dD][aA][tT][aA]):/,
            'it must begin with https://, http:// or data:.',
          ),
        )
        .describe('An http(s) URL, or the picture itself as a data: URL.'),
    }),
  })
  .meta({ id: 'ModerationImagePart' });

/** The body of `POST /v1/moderations`. Source: OpenAI's API document, CreateModerationRequest. */
export const moderationRequestSchema = z
  .strictObject({
    model: modelNameSchema
      .nullish()
      .describe('`omni-moderation-latest` where absent and served; else the only model that moderates.'),
    input: z
      .union([text, z.array(z.union([text, z.discriminatedUnion('type', [textPart, imagePart])])).min(1)])
      .describe('A text, texts with a result each, or the parts of one input with one result.'),
  })
  .meta({ id: 'ModerationRequest' });

export type ModerationBody = z.infer<typeof moderationRequestSchema>;
