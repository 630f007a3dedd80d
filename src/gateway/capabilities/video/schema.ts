import { z } from 'zod';
import { modelNameSchema } from '../common-members.ts';
import { explainedPattern } from '../validation-scalars.ts';

const wholeSeconds = explainedPattern(/^(?:[1-9]|[1-5]\d|60)$/, 'it must be 1 to 60 whole seconds, as a string.');
const widthAndHeight = explainedPattern(
  /^[1-9]\d{1,3}x[1-9]\d{1,3}$/,
  'it must be width and height in pixels, such as 1280x720.',
);
/** The database takes neither NUL nor half a surrogate pair. */
const storable = explainedPattern(/^[^\0\p{Cs}]*$/u, 'it must hold neither a NUL character nor a lone surrogate.');

export const videoPrompt = z.string().min(1).max(32_000).regex(storable).describe('What the video shows.');

/** A picture by its address, or one that the provider has. */
const imageReference = z
  .strictObject({
    image_url: z.string().min(1).max(20_971_520).nullish().describe('An `https:` address, or a `data:` URL.'),
    file_id: z.string().min(1).max(256).nullish().describe('A file of the provider’s own.'),
  })
  .describe('A picture that guides the video: one of `image_url` and `file_id`.');

/** The body of `POST /v1/videos` in JSON. Source: OpenAI's API document, CreateVideoJsonBody. */
export const videoRequestSchema = z
  .strictObject({
    model: modelNameSchema.nullish().describe('`provider/model`, or its bare name. `sora-2` where absent and served.'),
    prompt: videoPrompt,
    seconds: z
      .string()
      .regex(wholeSeconds)
      .nullish()
      .describe(
        'How long it is to be: `4`, `8` or `12` at OpenAI; others take others. The provider’s own where absent.',
      ),
    size: z
      .string()
      .regex(widthAndHeight)
      .nullish()
      .describe('`720x1280`, `1280x720`, `1024x1792`, `1792x1024` and what the provider has. Its own where absent.'),
    input_reference: imageReference.nullish(),
  })
  .meta({ id: 'VideoRequest' });

/** The body of `POST /v1/videos/{id}/remix`. Source: OpenAI's API document, CreateVideoRemixBody. */
export const videoRemixSchema = z.strictObject({ prompt: videoPrompt }).meta({ id: 'VideoRemixRequest' });

export type VideoBody = z.infer<typeof videoRequestSchema>;
