import { z } from 'zod';
import { modelNameSchema } from '../../../protocols/canonical/validation/common-members.ts';
import { explainedPattern } from '../../../protocols/canonical/validation/scalars.ts';

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
        .describe('An http(s) URL, or the image itself as a data: URL.'),
    }),
  })
  .meta({ id: 'ModerationImagePart' });

/** The body of `POST /v1/moderations`. Source: OpenAI's API document, CreateModerationRequest. */
export const moderationRequestSchema = z
  .strictObject({
    model: modelNameSchema
      .nullish()
      .describe('Default: `omni-moderation-latest` if it is served, else the only moderation model.'),
    input: z
      .union([text, z.array(z.union([text, z.discriminatedUnion('type', [textPart, imagePart])])).min(1)])
      .describe('A string, strings with one result each, or the parts of one input with one result.'),
  })
  .meta({ id: 'ModerationRequest' });

export type ModerationBody = z.infer<typeof moderationRequestSchema>;
