import { z } from 'zod';
import { editFormSchema, variationFormSchema } from '../../gateway/capabilities/images/schema.ts';
import { jsonBody } from './examples.ts';
import { failing, failure, failures } from './failures.ts';
import { events, ref, requestId, routed, type Operation } from './parts.ts';

const file = z.string().meta({ format: 'binary' });

/** An edit's form. `image[]` is the same as `image`. */
export const imageEditFormSchema = editFormSchema
  .extend({
    image: z.array(file).min(1).max(16).describe('PNG, JPEG or WebP, 50 MB each.'),
    mask: file
      .optional()
      .describe('A PNG of the first picture’s size: where it is transparent, the picture may change.'),
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
    created: z.int().describe('Seconds since 1970.'),
    data: z.array(
      z.looseObject({
        b64_json: z.string().optional().describe('The picture, in base64.'),
        url: z.string().optional().describe('A link to it here, valid for an hour. Whoever has it needs no key.'),
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
        partial_image_index: z.int().describe('From 0.'),
        ...shown,
      })
      .meta({ id: 'ImagePartialEvent' }),
    z
      .looseObject({
        type: z.enum(['image_generation.completed', 'image_edit.completed']),
        usage: z
          .looseObject({ cost: z.number().optional().describe('USD, in the last event. Sluice’s own.') })
          .optional(),
        ...shown,
      })
      .meta({ id: 'ImageCompletedEvent' }),
  ])
  .meta({ id: 'ImageEvent' });

const tags = ['Images'];
const form = (name: 'ImageEditForm' | 'ImageVariationForm') => ({ 'multipart/form-data': { schema: ref(name) } });
const answered = {
  description: 'The pictures.',
  headers: routed,
  content: { 'application/json': { schema: ref('ImagesResponse') } },
};
const streamed = {
  ...answered,
  content: { ...answered.content, ...events('ImageEvent') },
};

export const imageGenerations: Operation = {
  operationId: 'createImage',
  summary: 'Pictures',
  description:
    'Makes pictures of a description, at once or as a stream of events that shows them unfinished on the way.',
  tags,
  requestBody: { required: true, content: jsonBody('ImageGenerationRequest') },
  responses: { '200': streamed, ...failures },
};

export const imageEdits: Operation = {
  operationId: 'createImageEdit',
  summary: 'Edits of pictures',
  description: 'Changes pictures as they are described, within a mask or altogether.',
  tags,
  requestBody: { required: true, content: { ...form('ImageEditForm'), ...jsonBody('ImageEditJsonRequest') } },
  responses: { '200': streamed, ...failures },
};

export const imageVariations: Operation = {
  operationId: 'createImageVariation',
  summary: 'Variations of a picture',
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
  summary: 'What a link leads to',
  description: 'Pictures that were asked for as links. Ranges are served.',
  tags,
  security: [],
  parameters: [parameter('id', 'path'), parameter('expires', 'query'), parameter('signature', 'query')],
  responses: {
    '200': { description: 'The media.', headers: requestId, ...bytes },
    '206': { description: 'A range of it.', headers: requestId, ...bytes },
    ...failing('400', '500', '503'),
    '403': failure('403', 'The link is not valid, or has expired.'),
    '404': failure('404', 'It is not kept any more.'),
    '416': { description: 'The range begins behind the end.' },
  },
};
