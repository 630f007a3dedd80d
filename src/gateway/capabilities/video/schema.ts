import { z } from 'zod';
import { modelNameSchema } from '../../../protocols/canonical/validation/common-members.ts';
import { explainedPattern } from '../../../protocols/canonical/validation/scalars.ts';

const wholeSeconds = explainedPattern(
  /^(?:[1-9]|[1-5]\d|60)$/,
  'it must be an integer from 1 to 60 in seconds, as a string.',
);
const widthAndHeight = explainedPattern(
  /^[1-9]\d{1,3}x[1-9]\d{1,3}$/,
  'it must be width and height in pixels, such as 1280x720.',
);
/** PostgreSQL accepts neither NUL nor a lone surrogate. */
const storable = explainedPattern(/^[^\0\p{Cs}]*$/u, 'it must contain neither a NUL character nor a lone surrogate.');

const videoPrompt = z.string().min(1).max(32_000).regex(storable).describe('What the video shows.');

/** An image by URL, or a file of the provider. */
const imageReference = z
  .strictObject({
    image_url: z.string().min(1).max(20_971_520).nullish().describe('An `https:` or `data:` URL.'),
    file_id: z.string().min(1).max(256).nullish().describe('A file of the provider.'),
  })
  .describe('An image that guides the video: one of `image_url` and `file_id`.');

/** The body of `POST /v1/videos` in JSON. Source: OpenAI's API document, CreateVideoJsonBody. */
export const videoRequestSchema = z
  .strictObject({
    model: modelNameSchema.nullish().describe('`provider/model`, or its bare name. Default: `sora-2` if it is served.'),
    prompt: videoPrompt,
    seconds: z
      .string()
      .regex(wholeSeconds)
      .nullish()
      .describe(
        'Duration in seconds: `4`, `8` or `12` at OpenAI; other providers differ. The provider’s own default if absent.',
      ),
    size: z
      .string()
      .regex(widthAndHeight)
      .nullish()
      .describe(
        '`720x1280`, `1280x720`, `1024x1792`, `1792x1024` and further sizes of the provider. Its own default if absent.',
      ),
    input_reference: imageReference.nullish(),
  })
  .meta({ id: 'VideoRequest' });

/** The body of `POST /v1/videos/{id}/remix`. Source: OpenAI's API document, CreateVideoRemixBody. */
export const videoRemixSchema = z.strictObject({ prompt: videoPrompt }).meta({ id: 'VideoRemixRequest' });
