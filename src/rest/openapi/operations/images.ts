import { z } from 'zod';
import { editFormSchema, variationFormSchema } from '../../../gateway/capabilities/images/schema.ts';
import { jsonBody } from '../examples.ts';
import { failing, failure, failures } from '../failures.ts';
import { events, ref, requestId, routed, type Operation } from '../parts.ts';

const file = z.string().meta({ format: 'binary' });

/** `image[]` is accepted as `image`. */
export const imageEditFormSchema = editFormSchema
  .extend({
    image: z.array(file).min(1).max(16).describe('PNG, JPEG or WebP, up to 50 MB each.'),
    mask: file.optional().describe('A PNG of the same size as the first image. Its transparent areas are edited.'),
  })
  .meta({ id: 'ImageEditForm' });

export const imageVariationFormSchema = variationFormSchema.extend({ image: file }).meta({ id: 'ImageVariationForm' });

const usage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.looseObject({ text_tokens: z.int(), image_tokens: z.int() }).optional(),
});

/** Source: OpenAI's API document, ImagesResponse. */
export const imagesAnswerSchema = z
  .looseObject({
    created: z.int().describe('Unix time in seconds.'),
    data: z.array(
      z.looseObject({
        b64_json: z.string().optional().describe('The image in base64.'),
        url: z.string().optional().describe('A URL of this server, valid for one hour without a key.'),
        revised_prompt: z.string().optional(),
      }),
    ),
    size: z.string().optional(),
    quality: z.string().optional(),
    background: z.string().optional(),
    output_format: z.string().optional(),
    usage: usage.optional(),
  })
  .meta({ id: 'ImagesResponse' });

const shown = { b64_json: z.string(), created_at: z.int(), size: z.string(), output_format: z.string() };

/** Source: OpenAI's API document, ImageGenPartialImageEvent and ImageGenCompletedEvent, and those of edits. */
export const imageEventSchema = z
  .discriminatedUnion('type', [
    z
      .looseObject({
        type: z.enum(['image_generation.partial_image', 'image_edit.partial_image']),
        partial_image_index: z.int().describe('0-based.'),
        ...shown,
      })
      .meta({ id: 'ImagePartialEvent' }),
    z
      .looseObject({
        type: z.enum(['image_generation.completed', 'image_edit.completed']),
        usage: z
          .looseObject({ cost: z.number().optional().describe('Cost in USD. A Sluice extension in the last event.') })
          .optional(),
        ...shown,
      })
      .meta({ id: 'ImageCompletedEvent' }),
  ])
  .meta({ id: 'ImageEvent' });

const tags = ['Images'];
const form = (name: 'ImageEditForm' | 'ImageVariationForm') => ({ 'multipart/form-data': { schema: ref(name) } });
const answered = {
  description: 'The images.',
  headers: routed,
  content: { 'application/json': { schema: ref('ImagesResponse') } },
};
const streamed = {
  ...answered,
  content: { ...answered.content, ...events('ImageEvent') },
};

export const imageGenerations: Operation = {
  operationId: 'createImage',
  summary: 'Create an image',
  description:
    'Generates images from a prompt. Returns one JSON object, or with `stream: true` events that include partial images.',
  tags,
  requestBody: { required: true, content: jsonBody('ImageGenerationRequest') },
  responses: { '200': streamed, ...failures },
};

export const imageEdits: Operation = {
  operationId: 'createImageEdit',
  summary: 'Edit an image',
  description: 'Edits images by a prompt, within a mask or completely.',
  tags,
  requestBody: { required: true, content: { ...form('ImageEditForm'), ...jsonBody('ImageEditJsonRequest') } },
  responses: { '200': streamed, ...failures },
};

export const imageVariations: Operation = {
  operationId: 'createImageVariation',
  summary: 'Create image variations',
  description: 'Generates variations of an image.',
  tags,
  requestBody: { required: true, content: form('ImageVariationForm') },
  responses: { '200': answered, ...failures },
};

const parameter = (name: string, where: 'path' | 'query') => ({
  name,
  in: where,
  required: true,
  schema: { type: 'string' },
});
const bytes = { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };

export const media: Operation = {
  operationId: 'getMedia',
  summary: 'Download media',
  description: 'Returns the file behind a URL from a response. Supports `Range`.',
  tags,
  security: [],
  parameters: [parameter('id', 'path'), parameter('expires', 'query'), parameter('signature', 'query')],
  responses: {
    '200': { description: 'The file.', headers: requestId, ...bytes },
    '206': { description: 'The requested range of the file.', headers: requestId, ...bytes },
    ...failing('400', '500', '503'),
    '403': failure('403', 'The URL is not valid or has expired.'),
    '404': failure('404', 'The file is no longer stored.'),
    '416': { description: 'The range starts after the end of the file.' },
  },
};
