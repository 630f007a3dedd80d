import { z } from 'zod';
import { videoRequestSchema } from '../../gateway/capabilities/video/schema.ts';
import { jsonBody } from './examples.ts';
import { failing, failure, failures, refused } from './failures.ts';
import { answer, limited, linksById, ref, refs, routed, type Operation } from './parts.ts';

/** A form's `input_reference` may be a file. */
export const videoFormSchema = videoRequestSchema
  .extend({
    input_reference: z
      .string()
      .meta({ format: 'binary' })
      .optional()
      .describe('A picture that guides the video, 50 MB.'),
  })
  .meta({ id: 'VideoForm' });

/** Source: OpenAI's API document, VideoResource. */
export const videoSchema = z
  .object({
    id: z.string(),
    object: z.literal('video'),
    model: z.string().describe('`provider/model`.'),
    status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
    progress: z.int().describe('0 to 100. A provider that does not tell stays at 0 until it is there.'),
    created_at: z.int().describe('Seconds since 1970.'),
    completed_at: z.int().nullable().describe('When it was completed, or had failed.'),
    expires_at: z.int().nullable().describe('Until when the provider keeps its content; null where it does not say.'),
    prompt: z.string().nullable(),
    size: z.string().describe('`1280x720`; empty where neither caller nor provider says.'),
    seconds: z.string().describe('Empty where neither caller nor provider says.'),
    remixed_from_video_id: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Video' });

export const videoListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(videoSchema),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'VideoList' });

export const videoDeletedSchema = z
  .object({ id: z.string(), object: z.literal('video.deleted'), deleted: z.boolean() })
  .meta({ id: 'VideoDeleted' });

const tags = ['Videos (beta)'];
/** What an answer has whose bytes a provider sent. */
const passed = { ...limited, ...refs(['x-sluice-provider', 'x-sluice-model']) };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`video_…`.' };
const missing = failure('404', 'The account has no such video.');
const begun = {
  ...answer('The video, to be asked for until it is completed or has failed.', 'Video', routed),
  links: linksById('retrieveVideo', 'deleteVideo', 'downloadVideo', 'remixVideo'),
};

export const createVideo: Operation = {
  operationId: 'createVideo',
  summary: 'Begin a video',
  description:
    'Beta. Begins a video, which takes minutes: ask for it, follow it by the GraphQL subscription `videoProgress`, or be told by a webhook. It is billed once, when it is completed; one that fails costs nothing.',
  tags,
  requestBody: {
    required: true,
    content: {
      ...jsonBody('VideoRequest'),
      'multipart/form-data': { schema: ref('VideoForm') },
    },
  },
  responses: { '200': begun, ...failures },
};

export const listVideos: Operation = {
  operationId: 'listVideos',
  summary: 'List videos',
  description: 'Beta. The account’s videos.',
  tags,
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 100, default: 20 } },
    { name: 'order', in: 'query', schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' } },
    { name: 'after', in: 'query', schema: { type: 'string' }, description: 'The video behind which the page begins.' },
  ],
  responses: { '200': answer('A page of them.', 'VideoList', limited), ...refused, '404': missing },
};

export const retrieveVideo: Operation = {
  operationId: 'retrieveVideo',
  summary: 'Retrieve a video',
  description: 'Beta. How it stands. Once it is completed, `x-sluice-cost` says what it cost.',
  tags,
  parameters: [id],
  responses: { '200': answer('The video.', 'Video', routed), ...refused, '404': missing },
};

export const deleteVideo: Operation = {
  operationId: 'deleteVideo',
  summary: 'Delete a video',
  description: 'Beta. Deletes a video that is completed or has failed, at the provider too where it can.',
  tags,
  parameters: [id],
  responses: {
    '200': answer('It is deleted.', 'VideoDeleted', limited),
    ...refused,
    '400': failure('400', 'It is still being made.'),
    '404': missing,
  },
};

const bytes = { schema: { type: 'string', format: 'binary' } };

export const videoContent: Operation = {
  operationId: 'downloadVideo',
  summary: 'Download a video',
  description: 'Beta. Its content, as the provider has it. Ranges are served (`Range`, `If-Range`).',
  tags,
  parameters: [
    id,
    {
      name: 'variant',
      in: 'query',
      schema: { type: 'string', enum: ['video', 'thumbnail', 'spritesheet'], default: 'video' },
      description: 'Not every provider has the last two.',
    },
  ],
  responses: {
    '200': { description: 'All of it.', headers: passed, content: { 'video/mp4': bytes, 'image/*': bytes } },
    '206': {
      description: 'The part that was asked for.',
      headers: passed,
      content: { 'video/mp4': bytes, 'image/*': bytes },
    },
    ...refused,
    ...failing('502', '504'),
    '400': failure('400', 'There is no such variant, or the video is not completed.'),
    '404': failure('404', 'The account has no such video, or its provider no such content of it.'),
    '416': { description: 'It has no such part.', headers: limited },
  },
};

export const remixVideo: Operation = {
  operationId: 'remixVideo',
  summary: 'Remix a video',
  description: 'Beta. Makes a completed video anew with another prompt, where its provider can.',
  tags,
  parameters: [id],
  requestBody: { required: true, content: { 'application/json': { schema: ref('VideoRemixRequest') } } },
  responses: {
    '200': begun,
    ...failures,
    '400': failure('400', 'The request is not well-formed, or the video is not completed.'),
    '404': missing,
  },
};
