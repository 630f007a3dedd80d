import { z } from 'zod';
import { uploadPurposes } from '../../../services/files/new-file.ts';
import { MAX_PARTS, MAX_UPLOAD_BYTES } from '../../../services/files/upload-limits.ts';
import { jsonBody } from '../examples.ts';
import { failing, failure, refused } from '../failures.ts';
import { answer, limited, linksById, ref, type Operation } from '../parts.ts';
import { fileSchema } from './files.ts';

/** Source of all: OpenAI's API document, Uploads. */
export const uploadRequestSchema = z
  .strictObject({
    filename: z.string(),
    purpose: z.enum(uploadPurposes),
    bytes: z.int().min(0).max(MAX_UPLOAD_BYTES).describe('What the parts have together, up to 8 GB.'),
    mime_type: z.string().describe('Files have no type: it is accepted for compatibility.'),
    expires_after: z
      .object({ anchor: z.literal('created_at'), seconds: z.int().min(3_600).max(2_592_000) })
      .nullish()
      .describe('When the file expires, from the completion of the upload.'),
  })
  .meta({ id: 'UploadRequest' });

export const uploadPartFormSchema = z
  .object({ data: z.string().meta({ format: 'binary' }).describe('The bytes, up to 64 MB.') })
  .meta({ id: 'UploadPartForm' });

export const uploadCompletionSchema = z
  .strictObject({
    part_ids: z.array(z.string()).max(MAX_PARTS).describe('In the order of the file.'),
    md5: z
      .string()
      .nullish()
      .describe('MD5 checksum of the file as hex digits. It is compared with that of the parts.'),
  })
  .meta({ id: 'UploadCompletion' });

const time = z.int().describe('Unix time in seconds.');

export const uploadSchema = z
  .object({
    id: z.string().describe('`upload_…`.'),
    object: z.literal('upload'),
    bytes: z.int(),
    created_at: time,
    expires_at: time,
    filename: z.string(),
    purpose: z.string(),
    status: z.enum(['pending', 'completed', 'cancelled']),
    file: fileSchema.optional().describe('In the response that completes the upload.'),
  })
  .meta({ id: 'Upload' });

export const uploadPartSchema = z
  .object({
    id: z.string().describe('`part_…`.'),
    object: z.literal('upload.part'),
    created_at: time,
    upload_id: z.string(),
  })
  .meta({ id: 'UploadPart' });

const tags = ['Files'];
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`upload_…`.' };
const missing = failure('404', 'The account has no upload with this ID.');
const full = failure('413', 'The body is too large, or the files of the account have no space for it.');

const createUpload: Operation = {
  operationId: 'createUpload',
  summary: 'Create an upload',
  description: 'Begins a file that is sent in parts. It expires after an hour.',
  tags,
  requestBody: { required: true, content: jsonBody('UploadRequest') },
  responses: {
    '200': {
      ...answer('The upload.', 'Upload', limited),
      links: linksById('addUploadPart', 'completeUpload', 'cancelUpload'),
    },
    ...refused,
    ...failing('415'),
    '413': full,
  },
};

const addUploadPart: Operation = {
  operationId: 'addUploadPart',
  summary: 'Add a part to an upload',
  description: 'Parts may be sent at once and in any order.',
  tags,
  parameters: [id],
  requestBody: { required: true, content: { 'multipart/form-data': { schema: ref('UploadPartForm') } } },
  responses: {
    '200': answer('The part.', 'UploadPart', limited),
    ...refused,
    ...failing('415'),
    '404': missing,
    '413': full,
  },
};

const completeUpload: Operation = {
  operationId: 'completeUpload',
  summary: 'Complete an upload',
  description: 'Joins parts to a file.',
  tags,
  parameters: [id],
  requestBody: { required: true, content: jsonBody('UploadCompletion') },
  responses: {
    '200': answer('The upload and its file.', 'Upload', limited),
    ...refused,
    ...failing('415'),
    '404': missing,
    '413': full,
  },
};

const cancelUpload: Operation = {
  operationId: 'cancelUpload',
  summary: 'Cancel an upload',
  description: 'Deletes its parts.',
  tags,
  parameters: [id],
  responses: { '200': answer('The upload.', 'Upload', limited), ...refused, '404': missing },
};

export const uploadPaths = {
  '/v1/uploads': { post: createUpload },
  '/v1/uploads/{id}/parts': { post: addUploadPart },
  '/v1/uploads/{id}/complete': { post: completeUpload },
  '/v1/uploads/{id}/cancel': { post: cancelUpload },
};
