import { z } from 'zod';
import { modelNameSchema, storedText } from '../../../protocols/canonical/validation/common-members.ts';
import { explainedPattern } from '../../../protocols/canonical/validation/scalars.ts';

/** In pixels; providers have limits of their own. */
const size = explainedPattern(
  /^(?:auto|[1-9]\d{1,4}x[1-9]\d{1,4})$/,
  "it must be 'auto', or WIDTHxHEIGHT in pixels, such as '1024x1024'.",
);

const prompt = z.string().min(1).max(32_000).describe('What the image shows.');
const response = z
  .enum(['url', 'b64_json'])
  .nullish()
  .describe('`url`: links to Sluice, valid for an hour. `b64_json`: base64. The model’s own format if absent.');

const common = {
  model: modelNameSchema
    .nullish()
    .describe('The model. Default: OpenAI’s default model if it is served, else the only model for images.'),
  n: z.int().min(1).max(10).nullish().describe('Number of images. Default: 1.'),
  size: z.string().regex(size).nullish().describe('`auto`, or width and height in pixels: `1024x1024`.'),
  response_format: response,
  user: storedText(64).nullish().describe('A stable identifier of your end user.'),
} as const;

const drawn = {
  ...common,
  quality: z
    .enum(['standard', 'hd', 'low', 'medium', 'high', 'auto', 'xhigh', 'max'])
    .nullish()
    .describe('The model’s own default if absent.'),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp', 'gif', 'svg']).nullish(),
  output_compression: z.int().min(0).max(100).nullish().describe('Percent, for `jpeg` and `webp`.'),
  stream: z.boolean().nullish().describe('Whether to stream the response as server-sent events.'),
  partial_images: z.int().min(0).max(3).nullish().describe('Number of partial images when streaming.'),
  safety_identifier: storedText(64).nullish(),
} as const;

/** The body of `POST /v1/images/generations`. Source: OpenAI's API document, CreateImageRequest. */
export const generationSchema = z
  .looseObject({ ...drawn, prompt, style: z.enum(['vivid', 'natural']).nullish() })
  .meta({ id: 'ImageGenerationRequest' });

const imageReference = z
  .strictObject({
    image_url: z.string().min(1).max(20_971_520).optional().describe('An `https:` or `data:` URL.'),
    file_id: z.string().optional().describe('Not supported.'),
  })
  .meta({ id: 'ImageReference' });

/** The JSON body of `POST /v1/images/edits`. Source: OpenAI's API document, EditImageBodyJsonParam. */
export const editSchema = z
  .looseObject({
    ...drawn,
    prompt,
    images: z.array(imageReference).min(1).max(16),
    mask: imageReference.nullish(),
    input_fidelity: z.enum(['high', 'low']).nullish(),
  })
  .meta({ id: 'ImageEditJsonRequest' });

/**
 * The text fields of an edit's form, with numbers and booleans converted. Source: OpenAI's API document,
 * CreateImageEditRequest.
 */
export const editFormSchema = z.looseObject({
  ...drawn,
  prompt,
  input_fidelity: z.enum(['high', 'low']).nullish(),
});

/** The text fields of a variation's form. Source: OpenAI's API document, CreateImageVariationRequest. */
export const variationFormSchema = z.looseObject(common);

export const MAX_IMAGES = 16;
