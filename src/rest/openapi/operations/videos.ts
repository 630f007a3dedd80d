import { z } from 'zod';
import { videoRequestSchema } from '../../../gateway/capabilities/video/schema.ts';
import { jsonBody } from '../examples.ts';
import { failing, failure, failures, refused } from '../failures.ts';
import { answer, limited, linksById, ref, refs, routed, pageParameters, type Operation } from '../parts.ts';

/** A form's `input_reference` may be a file. */
export const videoFormSchema = videoRequestSchema
  .extend({
    input_reference: z
      .string()
      .meta({ format: 'binary' })
      .optional()
      .describe('An image that guides the generation, up to 50 MB.'),
  })
  .meta({ id: 'VideoForm' });

/** Source: OpenAI's API document, VideoResource. */
export const videoSchema = z
  .object({
    id: z.string(),
    object: z.literal('video'),
    model: z.string().describe('`provider/model`.'),
    status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
    progress: z.int().describe('From 0 to 100. Remains 0 until completion if the provider does not report progress.'),
    created_at: z.int().describe('Unix time in seconds.'),
    completed_at: z.int().nullable().describe('When the video completed or failed.'),
    expires_at: z
      .int()
      .nullable()
      .describe('When the provider deletes the content. Null if the provider does not report it.'),
    prompt: z.string().nullable(),
    size: z.string().describe('For example `1280x720`. Empty if neither the request nor the provider specified it.'),
    seconds: z.string().describe('Empty if neither the request nor the provider specified it.'),
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
/** Headers of a response with content from a provider. */
const passed = { ...limited, ...refs(['x-sluice-provider', 'x-sluice-model']) };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`video_…`.' };
const missing = failure('404', 'The account has no video with this ID.');
const begun = {
  ...answer('The video job. Retrieve it until its status is `completed` or `failed`.', 'Video', routed),
  links: linksById('retrieveVideo', 'deleteVideo', 'downloadVideo', 'remixVideo'),
};

export const createVideo: Operation = {
  operationId: 'createVideo',
  summary: 'Create a video',
  description:
    'Beta. Starts a video job, which takes minutes. Poll it, use the GraphQL subscription `videoProgress`, or receive a webhook. It is billed once, on completion; a failed video is not billed.',
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
  description: 'Beta. Lists the videos of the account.',
  tags,
  parameters: pageParameters('video'),
  responses: { '200': answer('A page of videos.', 'VideoList', limited), ...refused, '404': missing },
};

export const retrieveVideo: Operation = {
  operationId: 'retrieveVideo',
  summary: 'Retrieve a video',
  description: 'Beta. Returns the current state of a video. After completion, `x-sluice-cost` contains its cost.',
  tags,
  parameters: [id],
  responses: { '200': answer('The video.', 'Video', routed), ...refused, '404': missing },
};

export const deleteVideo: Operation = {
  operationId: 'deleteVideo',
  summary: 'Delete a video',
  description: 'Beta. Deletes a completed or failed video, and its copy at the provider if the provider supports that.',
  tags,
  parameters: [id],
  responses: {
    '200': answer('The video is deleted.', 'VideoDeleted', limited),
    ...refused,
    '400': failure('400', 'The video is still in progress.'),
    '404': missing,
  },
};

const bytes = { schema: { type: 'string', format: 'binary' } };

export const videoContent: Operation = {
  operationId: 'downloadVideo',
  summary: 'Download a video',
  description: 'Beta. Returns the content of a video from the provider. Supports `Range` and `If-Range`.',
  tags,
  parameters: [
    id,
    {
      name: 'variant',
      in: 'query',
      schema: { type: 'string', enum: ['video', 'thumbnail', 'spritesheet'], default: 'video' },
      description: 'Some providers support only `video`.',
    },
  ],
  responses: {
    '200': { description: 'The content.', headers: passed, content: { 'video/mp4': bytes, 'image/*': bytes } },
    '206': {
      description: 'The requested range of the content.',
      headers: passed,
      content: { 'video/mp4': bytes, 'image/*': bytes },
    },
    ...refused,
    ...failing('502', '504'),
    '400': failure('400', 'The variant is not valid, or the video is not completed.'),
    '404': failure('404', 'The account has no video with this ID, or the provider does not have this content.'),
    '416': { description: 'The range starts after the end of the content.', headers: limited },
  },
};

export const remixVideo: Operation = {
  operationId: 'remixVideo',
  summary: 'Remix a video',
  description: 'Beta. Generates a new video from a completed one with a different prompt, if the provider supports it.',
  tags,
  parameters: [id],
  requestBody: { required: true, content: { 'application/json': { schema: ref('VideoRemixRequest') } } },
  responses: {
    '200': begun,
    ...failures,
    '400': failure('400', 'The request is not valid, or the video is not completed.'),
    '404': missing,
  },
};
